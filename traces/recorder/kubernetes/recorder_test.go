// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
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
	w := &world{wiretest.NewWorld(t, recorder, "kubescheduler.config.k8s.io/v1", "multiPoint"), recorder}
	w.Reset("", "")
	return w
}

func newScripted(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.Reset(w.ScriptedConfig(), "")
	return w
}

func TestHelloNamesTheEmbeddedVersion(t *testing.T) {
	w := newWorld(t)
	w.WantHas(`{"hello":{"protocol":1}}`, `"name":"kube-scheduler"`, `"version":"`+minor.Tag+`"`, `"kubernetes":"`+minor.Kubernetes+`"`, `"hold"`)
	w.Want(`{"hello":{"protocol":2}}`, `{"error":"protocol 2 is asked for, this speaks 1"}`)
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	w := newWorld(t)
	w.Want(`{"dance":{}}`, `{"error":"unknown request \"dance\""}`)
	w.WantHas(`{"schedule":{"pod":"default/p"}}`, `"unsupported"`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`,"profiles":[{"plugins":{"filter":{"enabled":[{"name":"Nope"}]}}}]}}}`, `"error"`, `Nope`)
	w.WantHas(`{"schedule":{}}`, `reset comes first`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`,"parallelism":-1}}}`, `"error"`, `parallelism`)
	w.WantHas(`{"reset":{"config":{`+w.Header+`},"featureGates":{"NoSuchGate":true}}}`, `"error"`, `NoSuchGate`)
	w.Reset("", "")
	w.WantHas(wiretest.PodRequest("p", "1", 0, `{"ScriptedA":{"reserve":"Maybe"}}`), `"error"`, `ScriptedA.reserve`, `Maybe`)
	w.Want(`{"delete":{"apiVersion":"v1","kind":"Node","name":"n"}}`, `{"error":"nodes \"n\" not found"}`)
}

func TestAPodIsScheduledAndBound(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "4")
	w.Node("n1", "1")
	w.Pod("p", "2", 0, "")
	w.Queues("p", "", "")
	w.Want(`{"schedule":{}}`, `{"records":[
		{"attempt":{"pod":"default/p","result":"scheduled","node":"n0","evaluated":2,"feasible":1,"filter":{
			"n0":{"code":"Success"},"n1":{"code":"UnschedulableAndUnresolvable","plugin":"NodeResourcesFit","reasons":["Insufficient cpu"]}}}},
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
		`{"ScriptedA":{"preBind":"Error"}}`:         `"message":"running PreBind plugin \"ScriptedA\": scripted"`,
		`{"ScriptedBinder":{"bind":"Error"}}`:       `"calls":["ScriptedA.preBind","ScriptedB.preBind","ScriptedBinder.bind","ScriptedB.unreserve","ScriptedA.unreserve"]`,
	} {
		w.Pod("p", "2", 0, script)
		w.WantHas(`{"schedule":{}}`, want)
		w.WantHas(`{"observe":{}}`, `{"n0":{"pods":[],"milliCPU":0,"memory":0}}`)
		w.Want(`{"delete":{"apiVersion":"v1","kind":"Pod","name":"p"}}`, `{"records":[]}`)
	}
}

func TestABindThatFailsAfterItWasTaken(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	w.Pod("p", "2", 0, `{"ScriptedBinder":{"bind":"ErrorAfterBound"}}`)
	w.WantHas(`{"schedule":{}}`, `"result":"error"`, `running Bind plugin \"ScriptedBinder\": scripted`)
	w.Queues("", "", "")
	w.WantHas(`{"observe":{}}`, `{"n0":{"pods":["default/p"],"milliCPU":2000,"memory":0}}`)
}

func TestPermitIsAllowedOrRejected(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	w.Pod("p", "1", 0, `{"ScriptedA":{"permit":"Wait"},"ScriptedB":{"permit":"Wait"}}`)
	if got := w.WantHas(`{"schedule":{}}`, `"waiting":true`); strings.Contains(got, `"bind"`) {
		t.Fatalf("a waiting pod was bound: %s", got)
	}
	w.Want(`{"permit":{"pod":"default/p","decision":"allow","plugin":"ScriptedA"}}`, `{"records":[]}`)
	w.WantHas(`{"permit":{"pod":"default/p","decision":"allow"}}`, `"result":"bound"`)
	w.Pod("q", "1", 0, `{"ScriptedB":{"permit":"Wait"}}`)
	w.WantHas(`{"schedule":{}}`, `"waiting":true`)
	w.Want(`{"permit":{"pod":"default/q","decision":"reject","plugin":"ScriptedB"}}`, `{"records":[{"bind":{"pod":"default/q","node":"n0",
		"result":"unschedulable","calls":["ScriptedB.unreserve","ScriptedA.unreserve"],
		"message":"0/1 nodes are available: 1 scripted.","unschedulablePlugins":["ScriptedB"]}}]}`)
	w.Queues("", "q", "")
}

// The words are those of framework/runtime/waiting_pods_map.go, newWaitingPod: here they
// show that the framework's own timer fired, at the protocol's time.
func TestPermitTimesOut(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	for patience, longest := range map[string]struct {
		seconds int
		words   string
	}{"Wait:30": {30, "30s"}, "Wait": {900, "15m0s"}, "Wait:100000": {900, "15m0s"}} {
		w.Pod("p", "1", 0, `{"ScriptedA":{"permit":"`+patience+`"}}`)
		w.WantHas(`{"schedule":{}}`, `"waiting":true`)
		w.Want(fmt.Sprintf(`{"advance":%d}`, longest.seconds-1), `{"records":[]}`)
		w.WantHas(`{"advance":1}`, `"bind"`, "rejected due to timeout after waiting "+longest.words+" at plugin ScriptedA")
		w.Want(`{"delete":{"apiVersion":"v1","kind":"Pod","name":"p"}}`, `{"records":[]}`)
	}
	w.Pod("p", "1", 0, `{"ScriptedA":{"permit":"Wait:0"}}`)
	w.WantHas(`{"schedule":{}}`, "rejected due to timeout after waiting 0s at plugin ScriptedA")
}

func TestTheDeletionOfAWaitingPodEndsItsBinding(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	w.Pod("p", "1", 0, `{"ScriptedA":{"permit":"Wait"}}`)
	w.WantHas(`{"schedule":{}}`, `"waiting":true`)
	w.WantHas(`{"delete":{"apiVersion":"v1","kind":"Pod","name":"p"}}`, `"message":"0/1 nodes are available: 1 removed."`)
	w.WantHas(`{"observe":{}}`, `{"n0":{"pods":[],"milliCPU":0,"memory":0}}`)
}

func TestAHeldCycleGoesOnWhenReleased(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "4")
	w.Pod("p", "1", 0, `{"ScriptedA":{"reserve":"Hold:Unschedulable"}}`)
	w.Want(`{"schedule":{}}`, `{"records":[],"held":{"pod":"default/p","point":"reserve","plugin":"ScriptedA"}}`)
	w.WantHas(`{"schedule":{}}`, `"unsupported"`)
	w.WantHas(`{"observe":{}}`, `{"n0":{"pods":["default/p"],"milliCPU":1000,"memory":0}}`)
	// An event in mid-cycle: the pod that is refused afterwards need not wait for another.
	w.Node("n1", "4")
	w.WantHas(`{"release":{"pod":"default/p"}}`, `"attempt"`, `"result":"unschedulable"`)
	w.Queues("", "p", "")

	w.Pod("q", "1", 0, `{"ScriptedA":{"preBind":"Hold"},"ScriptedB":{"preBind":"Hold:Error"}}`)
	got := w.WantHas(`{"schedule":{}}`, `"attempt"`, `"held":{"pod":"default/q","point":"preBind","plugin":"ScriptedA"}`)
	if strings.Contains(got, `"bind":`) {
		t.Fatalf("a held pod was bound: %s", got)
	}
	w.Pod("r", "1", 0, "")
	w.WantHas(`{"schedule":{}}`, `"result":"bound"`) // others go on meanwhile
	w.Want(`{"release":{"pod":"default/q"}}`, `{"records":[],"held":{"pod":"default/q","point":"preBind","plugin":"ScriptedB"}}`)
	w.WantHas(`{"release":{"pod":"default/q"}}`, `"result":"error"`, `ScriptedB.preBind`)
	w.Want(`{"release":{"pod":"default/q"}}`, `{"error":"default/q is not held"}`)
}

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
	w.Want(`{"advance":12}`, `{"records":[]}`)
	w.WantHas(`{"schedule":{}}`, `"node":"n0"`, `"bound"`)
}

func TestPreemptionRejectsAVictimThatWaits(t *testing.T) {
	w := newScripted(t)
	w.Node("n0", "2")
	w.Pod("v", "2", 0, `{"ScriptedA":{"permit":"Wait"}}`)
	w.WantHas(`{"schedule":{}}`, `"waiting":true`)
	w.Pod("p", "2", 10, "")
	got := w.WantHas(`{"schedule":{}}`, `"victims":["default/v"]`, `{"bind":{"pod":"default/v"`, `preempted`)
	if strings.Contains(got, `"delete"`) {
		t.Fatalf("a waiting victim was deleted: %s", got)
	}
}

func TestUnschedulablePodsAreFlushedAfterFiveMinutes(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "1")
	w.Pod("p", "2", 0, "")
	w.WantHas(`{"schedule":{}}`, `"unschedulable"`)
	w.Want(`{"advance":329}`, `{"records":[]}`)
	w.Queues("", "", "p") // at 300 it had waited five minutes, and not longer
	w.Want(`{"advance":1}`, `{"records":[]}`)
	w.Queues("p", "", "")
}

func TestVolumesAreBoundOrWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.Node("n0", "4")
	for _, object := range []string{
		`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"local"},"provisioner":"kubernetes.io/no-provisioner","volumeBindingMode":"WaitForFirstConsumer"}`,
		`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"made"},"provisioner":"csi.example","volumeBindingMode":"WaitForFirstConsumer"}`,
		`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"local","csi":{"driver":"d","volumeHandle":"h"}},"status":{"phase":"Available"}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"found"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"local","resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"made"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"made","resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"found"}},{"name":"b","persistentVolumeClaim":{"claimName":"made"}}]}}`,
	} {
		w.Want(`{"create":`+object+`}`, `{"records":[]}`)
	}
	began := time.Now()
	w.WantHas(`{"schedule":{}}`, `{"write":{"verb":"update"`, `"claimRef"`, `"volume.kubernetes.io/selected-node":"n0"`,
		`{"create":{"kind":"PersistentVolume"`, `"pvc-made"`, `"pv.kubernetes.io/bind-completed":"yes"`, `"result":"bound"`)
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Fatalf("the wait for volumes ran on the real clock: %v", took)
	}
}

// The worker's panic is the known one of a claim whose class stands in its annotation.
func TestAPanicIsAnAnswerUntilTheNextReset(t *testing.T) {
	w := newWorld(t)
	w.Reset("", `,"featureGates":{"StorageCapacityScoring":true}`)
	w.Node("n0", "4")
	w.Node("n1", "4")
	for _, object := range []string{
		`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"made"},"provisioner":"csi.example","volumeBindingMode":"WaitForFirstConsumer"}`,
		`{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"csi.example"},"spec":{"storageCapacity":true}}`,
		`{"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"name":"room"},"storageClassName":"made","capacity":"9Gi","nodeTopology":{}}`,
		`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","annotations":{"volume.beta.kubernetes.io/storage-class":"made"}},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]}}`,
	} {
		w.Want(`{"create":`+object+`}`, `{"records":[]}`)
	}
	w.WantHas(`{"schedule":{}}`, `{"error":"the scheduler panicked: `)
	w.WantHas(`{"schedule":{}}`, `{"error":"the scheduler panicked: `)
	w.Reset("", "")
	w.Want(`{"schedule":{}}`, `{"idle":true}`)
}

func TestAnExtenderIsAskedOverHTTP(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		asked++
		if in.URL.Path == "/filter" {
			fmt.Fprint(out, `{"nodenames":["n1"],"failedNodes":{"n0":"not this one"}}`)
			return
		}
		fmt.Fprint(out, `{}`)
	}))
	defer server.Close()
	w := newWorld(t)
	w.Reset(`{`+w.Header+`,"extenders":[{"urlPrefix":"`+server.URL+`","filterVerb":"filter","bindVerb":"bind","nodeCacheCapable":true,"weight":1}]}`, "")
	w.Node("n0", "4")
	w.Node("n1", "4")
	w.Pod("p", "1", 0, "")
	w.WantHas(`{"schedule":{}}`, `"node":"n1"`, `"feasible":1`, `"result":"bound"`)
	if asked != 2 {
		t.Fatalf("the extender was asked %d times", asked)
	}
}

func TestFeatureGatesAreSetAndGivenBack(t *testing.T) {
	w := newWorld(t)
	for _, gate := range []string{`true`, `false`} {
		w.Reset("", `,"featureGates":{"SchedulerPopFromBackoffQ":`+gate+`,"SchedulerAsyncPreemption":`+gate+`}`)
		w.Node("n0", "1")
		w.Pod("v", "1", 0, "")
		w.WantHas(`{"schedule":{}}`, `"bound"`)
		w.Pod("p", "1", 1, "")
		w.WantHas(`{"schedule":{}}`, `"victims":["default/v"]`)
		w.Queues("", "p", "")
		if gate == "true" {
			w.WantHas(`{"schedule":{}}`, `"attempt"`)
		} else {
			w.Want(`{"schedule":{}}`, `{"idle":true}`)
		}
	}
	w.Reset("", `,"featureGates":{"SchedulerAsyncAPICalls":true}`)
	w.Node("n0", "1")
	w.Pod("p", "2", 0, "")
	w.WantHas(`{"schedule":{}}`, `"unschedulable"`)
	w.Pod("q", "1", 0, "")
	w.WantHas(`{"schedule":{}}`, `"bound"`)
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
	// A scheduler's metrics recorder looks once a second whether it should stop
	// (pkg/scheduler/metrics/metric_recorder.go, run): all are gone a second later.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines have become %d", before, runtime.NumGoroutine())
		}
	}
}

func TestTheSameInputsGiveTheSameAnswers(t *testing.T) {
	w := newWorld(t)
	play := func() string {
		var transcript strings.Builder
		w.Reset(w.ScriptedConfig(), "")
		w.Node("n0", "3")
		for i := range 6 {
			// Priorities differ, so that the queue has no choice, and there is one node.
			w.Pod(fmt.Sprintf("p%d", i), "1", i, [...]string{"", `{"ScriptedA":{"permit":"Wait:20"}}`, `{"ScriptedB":{"preBind":"Error"}}`}[i%3])
			transcript.WriteString(w.Ask(`{"schedule":{}}`) + w.Ask(`{"observe":{}}`) + w.Ask(`{"advance":7}`) + w.Ask(`{"observe":{}}`) + "\n")
		}
		for range 8 {
			transcript.WriteString(w.Ask(`{"schedule":{}}`) + w.Ask(`{"advance":5}`) + w.Ask(`{"observe":{}}`) + "\n")
		}
		return transcript.String()
	}
	first := play()
	for range 20 {
		if again := play(); again != first {
			t.Fatalf("played twice, it differs\n first  %s\n second %s", first, again)
		}
	}
}

// The recordings are of the version, and were made by another program; those of v1.35 by this one.
func TestRecordingsRepeat(t *testing.T) { newWorld(t).Replay(testdata("*.jsonl.gz")) }
