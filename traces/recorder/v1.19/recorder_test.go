// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"

	"refsched/recorder/harness"
	"refsched/recorder/wire"
	"refsched/recorder/wire/wiretest"
)

// world is a recorder under test.
type world struct {
	*wiretest.World
	recorder *harness.Recorder
}

func newWorld(t *testing.T) *world {
	t.Helper()
	recorder := New()
	t.Cleanup(recorder.Close)
	w := &world{
		wiretest.NewWorld(t, recorder, "kubescheduler.config.k8s.io/v1beta1", "reserve", "permit", "preBind", "postBind"),
		recorder,
	}
	w.Reset("", "")
	return w
}

func newScripted(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.Reset(w.ScriptedConfig(), "")
	return w
}

// The recordings are of kube-scheduler v1.19.16, and were made by another program.
func TestRecordingsRepeat(t *testing.T) { newWorld(t).Replay("testdata/*.jsonl.gz") }

func TestHelloNamesTheEmbeddedVersion(t *testing.T) {
	newWorld(t).WantHas(`{"hello":{"protocol":1}}`, `"name":"kube-scheduler"`, `"version":"v1.19.16"`, `"kubernetes":"1.19"`, `"hold"`)
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	w := newWorld(t)
	w.WantHas(`{"reset":{"config":{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"}}}`, `"error"`, `no kind`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`,"profiles":[{"plugins":{"filter":{"enabled":[{"name":"Nope"}]}}}]}}}`, `"error"`, `Nope`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`,"podMaxBackoffSeconds":-1}}}`, `"error"`, `podMaxBackoffSeconds`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`,"nothing":1}}}`, `"error"`, `nothing`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`},"featureGates":{"NoSuchGate":true}}}`, `"error"`, `NoSuchGate`)
	w.Reset("", "")
	w.WantHas(wiretest.PodRequest("p", "1", 0, `{"ScriptedA":{"reserve":"Pending"}}`), `"unsupported"`, `Pending`)
	w.WantHas(`{"create":{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"c"}}}`, `"unsupported"`)
}

func TestAPodIsScheduledAndBound(t *testing.T) {
	w := newWorld(t)
	w.Pod("p", "2", 0, "")
	w.Want(`{"schedule":{}}`, `{"records":[{"attempt":{"pod":"default/p","result":"unschedulable","message":"no nodes available to schedule pods"}}]}`)
	w.Node("n0", "4")
	w.Node("n1", "1")
	w.Queues("", "p", "")
	w.Want(`{"advance":1}`, `{"records":[]}`)
	w.Want(`{"schedule":{}}`, `{"records":[
		{"attempt":{"pod":"default/p","result":"scheduled","node":"n0","evaluated":2,"feasible":1,"filter":{
			"n0":{"code":"Success"},"n1":{"code":"Unschedulable","plugin":"NodeResourcesFit","reasons":["Insufficient cpu"]}}}},
		{"bind":{"pod":"default/p","node":"n0","result":"bound"}}]}`)
	w.Want(`{"observe":{}}`, `{"records":[{"queues":{"active":[],"backoff":[],"unschedulable":[]}},
		{"nodes":{"n0":{"pods":["default/p"],"milliCPU":2000,"memory":0},"n1":{"pods":[],"milliCPU":0,"memory":0}}}]}`)
	w.Want(`{"schedule":{}}`, `{"idle":true}`)
}

func TestWhatFailsIsRolledBack(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	for script, want := range map[string]string{
		`{"ScriptedB":{"reserve":"Unschedulable"}}`: `"calls":["ScriptedA.reserve","ScriptedB.reserve","ScriptedB.unreserve","ScriptedA.unreserve"]`,
		`{"ScriptedA":{"permit":"Unschedulable"}}`:  `"result":"unschedulable","message":"rejected pod \"p\" by permit plugin \"ScriptedA\": scripted"`,
		`{"ScriptedA":{"preBind":"Error"}}`:         `"message":"error while running \"ScriptedA\" prebind plugin for pod \"p\": scripted"`,
		`{"ScriptedBinder":{"bind":"Error"}}`:       `"calls":["ScriptedA.preBind","ScriptedB.preBind","ScriptedBinder.bind","ScriptedB.unreserve","ScriptedA.unreserve"]`,
	} {
		w.Pod("p", "2", 0, script)
		w.WantHas(`{"schedule":{}}`, want)
		w.WantHas(`{"observe":{}}`, `{"n0":{"pods":[],"milliCPU":0,"memory":0}}`)
		w.Want(`{"delete":{"apiVersion":"v1","kind":"Pod","name":"p"}}`, `{"records":[]}`)
	}
}

func TestPermitIsAllowedRejectedOrTimesOut(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	w.Pod("p", "1", 0, `{"ScriptedA":{"permit":"Wait"},"ScriptedB":{"permit":"Wait"}}`)
	w.WantHas(`{"schedule":{}}`, `"waiting":true`)
	w.Want(`{"permit":{"pod":"default/p","decision":"allow","plugin":"ScriptedA"}}`, `{"records":[]}`)
	w.WantHas(`{"permit":{"pod":"default/p","decision":"allow"}}`, `"result":"bound"`)
	w.Pod("q", "1", 0, `{"ScriptedB":{"permit":"Wait"}}`)
	w.WantHas(`{"schedule":{}}`, `"waiting":true`)
	w.WantHas(`{"permit":{"pod":"default/q","decision":"reject","plugin":"ScriptedB"}}`,
		`"result":"unschedulable"`, `"message":"pod \"q\" rejected while waiting on permit: scripted"`)
	w.Pod("r", "1", 5, `{"ScriptedB":{"permit":"Wait:30"}}`)
	w.WantHas(`{"schedule":{}}`, `"waiting":true`)
	w.Want(`{"advance":29}`, `{"records":[]}`)
	w.WantHas(`{"advance":1}`, "rejected due to timeout after waiting 30s at plugin ScriptedB")
}

func TestAHeldCycleGoesOnWhenReleased(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	w.Pod("p", "1", 0, `{"ScriptedA":{"reserve":"Hold:Error"}}`)
	w.Want(`{"schedule":{}}`, `{"records":[],"held":{"pod":"default/p","point":"reserve","plugin":"ScriptedA"}}`)
	w.WantHas(`{"observe":{}}`, `{"n0":{"pods":["default/p"],"milliCPU":1000,"memory":0}}`)
	w.Node("n1", "4") // a move request in mid-cycle
	w.WantHas(`{"release":{"pod":"default/p"}}`, `"attempt"`, `"result":"error"`)
	// The move request would have it back off, but for the scheduler's own update of the pod's
	// status, which brings it out again (internal/queue/scheduling_queue.go, Update).
	w.Queues("p", "", "")
}

// The scheduler's own nomination comes back before the victims are gone, and finds the pod
// unschedulable: so their deletion has it back off.
func TestPreemptionDeletesItsVictims(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "2")
	for _, name := range []string{"v0", "v1"} {
		w.Pod(name, "1", 0, "")
		w.WantHas(`{"schedule":{}}`, `"bound"`)
	}
	w.Pod("p", "2", 10, "")
	got := w.WantHas(`{"schedule":{}}`, `"nominatedNode":"n0"`, `"victims":["default/v0","default/v1"]`,
		`{"delete":{"apiVersion":"v1","kind":"Pod","namespace":"default","name":"v0"}}`,
		`{"delete":{"apiVersion":"v1","kind":"Pod","namespace":"default","name":"v1"}}`)
	if !strings.HasPrefix(got, `{"records":[{"attempt"`) {
		t.Fatalf("deletions stand before the attempt that caused them: %s", got)
	}
	w.Queues("", "p", "")
	w.Want(`{"advance":1}`, `{"records":[]}`)
	w.WantHas(`{"schedule":{}}`, `"node":"n0"`, `"bound"`)
}

func TestABudgetMayBeSentAsLaterVersionsServeIt(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "1")
	w.Node("n1", "1")
	for _, name := range []string{"v0", "v1"} {
		w.Want(fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"app":%q}},"spec":{"nodeName":"n%s",
			"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}}`, name, name, name[1:]), `{"records":[]}`)
	}
	w.Want(`{"create":{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},
		"spec":{"selector":{"matchLabels":{"app":"v0"}},"minAvailable":1}}}`, `{"records":[]}`)
	w.Pod("p", "1", 10, "")
	w.WantHas(`{"schedule":{}}`, `"nominatedNode":"n1"`, `"victims":["default/v1"]`)
}

func TestUnschedulablePodsAreFlushedAfterAMinute(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "1")
	w.Pod("p", "2", 0, "")
	w.WantHas(`{"schedule":{}}`, `"unschedulable"`)
	w.Want(`{"advance":89}`, `{"records":[]}`)
	w.Queues("", "", "p") // at 60 it had waited a minute, and not longer
	w.Want(`{"advance":1}`, `{"records":[]}`)
	w.Queues("p", "", "")
}

func TestVolumesAreBoundOrWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "4")
	for _, object := range []string{
		`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"made"},"provisioner":"csi.example","volumeBindingMode":"WaitForFirstConsumer"}`,
		`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"slow"},"provisioner":"csi.example","volumeBindingMode":"WaitForFirstConsumer"}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"made","resources":{"requests":{"storage":"1Gi"}}}}`,
		`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pvc-d"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Ki"},"storageClassName":"other"}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"slow","resources":{"requests":{"storage":"1Gi"}}}}`,
	} {
		w.Want(`{"create":`+object+`}`, `{"records":[]}`)
	}
	claiming := func(pod, claim string) string {
		return fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"containers":[{"name":"c","image":"i"}],
			"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":%q}}]}}}`, pod, claim)
	}
	w.Want(claiming("p", "c"), `{"records":[]}`)
	w.WantHas(`{"schedule":{}}`, `"write":{"verb":"update"`, `"volume.kubernetes.io/selected-node":"n0"`, `"create":{`, `"result":"bound"`)
	w.Want(claiming("q", "d"), `{"records":[]}`) // its volume's name is taken: nothing is provisioned
	w.WantHas(`{"schedule":{}}`, `"result":"scheduled"`)
	w.Want(`{"advance":599}`, `{"records":[]}`)
	w.WantHas(`{"advance":1}`, `"bind"`, `Failed to bind volumes: timed out waiting for the condition`)
	w.Want(`{"delete":{"apiVersion":"v1","kind":"Pod","name":"q"}}`, `{"records":[]}`)
	w.Want(claiming("r", "missing"), `{"records":[]}`)
	w.WantHas(`{"schedule":{}}`, `"result":"error"`, `persistentvolumeclaim \"missing\" not found`)
}

func TestExtendersScoreAndBind(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/prioritize":
			fmt.Fprint(answer, `[{"host":"n1","score":3}]`)
		default:
			fmt.Fprint(answer, `{}`)
		}
	}))
	defer server.Close()
	w := newWorld(t)
	w.Reset(`{`+w.Header+`,"extenders":[{"urlPrefix":"`+server.URL+`","prioritizeVerb":"prioritize","bindVerb":"bind","nodeCacheCapable":true,"weight":2}]}`, "")
	w.Node("n0", "4")
	w.Node("n1", "4")
	w.Pod("p", "1", 0, "")
	var answer struct {
		Records []struct {
			Attempt *wire.Attempt
			Bind    *wire.Bind
		}
	}
	if err := json.Unmarshal([]byte(w.Ask(`{"schedule":{}}`)), &answer); err != nil {
		t.Fatal(err)
	}
	attempt := answer.Records[0].Attempt
	if attempt.Node != "n1" || attempt.Totals["n1"]-attempt.Totals["n0"] != 60 || answer.Records[1].Bind.Result != wire.Bound {
		t.Fatalf("%+v", answer)
	}
}

// The worker's panic is the known one of a nominated pod on a node that the nodeSelector excludes.
func TestAPanicIsAnAnswerUntilTheNextReset(t *testing.T) {
	w := newWorld(t)
	w.Want(`{"create":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n0","labels":{"zone":"a","disk":"x"}},"status":{"allocatable":{"cpu":"4","pods":"9"}}}}`, `{"records":[]}`)
	w.Want(`{"create":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"zone":"b"}},"status":{"allocatable":{"cpu":"4","pods":"9"}}}}`, `{"records":[]}`)
	w.Want(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"q","labels":{"app":"a"}},"spec":{"priority":9,"schedulerName":"default-scheduler","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"9"}}}]},
		"status":{"nominatedNodeName":"n1"}}}`, `{"records":[]}`)
	w.WantHas(`{"schedule":{}}`, `"unschedulable"`)
	w.Want(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"disk":"x"},
		"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"a"}}}]}}}`, `{"records":[]}`)
	w.WantHas(`{"schedule":{}}`, `{"error":"the scheduler panicked: `)
	w.WantHas(`{"schedule":{}}`, `{"error":"the scheduler panicked: `)
	w.Reset("", "")
	w.Want(`{"schedule":{}}`, `{"idle":true}`)
}

func TestFeatureGatesAreSetAndGivenBack(t *testing.T) {
	w := newWorld(t)
	for _, gates := range []string{`,"featureGates":{"DefaultPodTopologySpread":true}`, ``} {
		w.Reset("", gates)
		w.Node("n0", "4")
		w.Node("n1", "4")
		w.Pod("p", "1", 0, "")
		if has := strings.Contains(w.Ask(`{"schedule":{}}`), "SelectorSpread"); has != (gates == "") {
			t.Fatalf("SelectorSpread scores with %q: %v", gates, has)
		}
	}
}

func TestAHundredResetsLeakNothing(t *testing.T) {
	w := newScripted(t)
	w.recorder.Close()
	before := runtime.NumGoroutine()
	for range 100 {
		w.Reset(w.ScriptedConfig(), "")
		w.Node("n0", "8")
		for pod, script := range []string{`{"ScriptedA":{"permit":"Wait"}}`, `{"ScriptedA":{"preBind":"Hold"}}`, `{"ScriptedA":{"reserve":"Hold"}}`} {
			w.Pod(fmt.Sprintf("p%d", pod), "1", 0, script)
			w.Ask(`{"schedule":{}}`)
		}
	}
	w.recorder.Close()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines have become %d\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

var rewrite = flag.Bool("rewrite", false, "write testdata/plugins.json anew")

// TestPluginTableIsWhatKubernetesHas writes what the specification's list of plugins is compared
// with (tests/test_default_plugins.py).
func TestPluginTableIsWhatKubernetesHas(t *testing.T) {
	type weighted struct {
		Name   string `json:"name"`
		Weight int32  `json:"weight,omitempty"`
	}
	table := struct {
		Registry []string `json:"registry"`
		// Points is what a profile runs that says nothing of its plugins, in order.
		Points map[string][]weighted `json:"points"`
	}{slices.Sorted(maps.Keys(plugins.NewInTreeRegistry())), map[string][]weighted{}}
	made := version
	made.Start = func(s *harness.Session, config json.RawMessage) (*harness.Scheduler, error) {
		read, err := readConfig(config)
		if err != nil {
			return nil, err
		}
		i, err := newInstance(s, read)
		if err != nil {
			return nil, err
		}
		for point, listed := range i.Profiles["default-scheduler"].ListPlugins() {
			point = strings.ToLower(point[:1]) + strings.TrimSuffix(point[1:], "Plugin")
			for _, plugin := range listed {
				table.Points[point] = append(table.Points[point], weighted{plugin.Name, plugin.Weight})
			}
		}
		return i.start(), nil
	}
	recorder := harness.New("", &made)
	defer recorder.Close()
	if err := recorder.Reset(wire.Reset{}); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(table, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	const path = "testdata/plugins.json"
	if *rewrite {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(stored) != string(text) {
		t.Errorf("%s is not what Kubernetes has; go test -run PluginTable -rewrite makes it anew:\n%s", path, text)
	}
}
