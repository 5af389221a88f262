// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"refsched.dev/recorder/wire"
)

const header = `"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"`

// scriptedConfig enables the scripted plugins as recordings do.
const scriptedConfig = `{` + header + `,"profiles":[{"schedulerName":"default-scheduler","plugins":{
	"multiPoint":{"enabled":[{"name":"ScriptedA"},{"name":"ScriptedB"}]},
	"bind":{"disabled":[{"name":"*"}],"enabled":[{"name":"ScriptedBinder"},{"name":"DefaultBinder"}]}}}]}`

// world is a recorder under test, spoken to in the protocol's own words.
type world struct {
	*testing.T
	recorder *Recorder
}

func newWorld(t *testing.T, config string, options ...Option) *world {
	t.Helper()
	w := &world{t, New(options...)}
	t.Cleanup(w.recorder.Close)
	w.reset(config, "")
	return w
}

func (w *world) reset(config, more string) {
	w.Helper()
	if config == "" {
		config = `{` + header + `}`
	}
	w.want(`{"reset":{"config":`+config+more+`}}`, `{}`)
}

// ask sends one request and returns the answer as it would go over the wire.
func (w *world) ask(request string) string {
	w.Helper()
	answer, err := json.Marshal(wire.Handle(w.recorder, []byte(request)))
	if err != nil {
		w.Fatalf("%s: the answer does not encode: %v", request, err)
	}
	return string(answer)
}

// want sends one request and compares the answer, members in any order.
func (w *world) want(request, answer string) {
	w.Helper()
	if got := w.ask(request); canonical(w.T, got) != canonical(w.T, answer) {
		w.Fatalf("%s\n got  %s\n want %s", request, got, answer)
	}
}

// wantHas sends one request and looks for parts of the answer.
func (w *world) wantHas(request string, parts ...string) string {
	w.Helper()
	got := w.ask(request)
	for _, part := range parts {
		if !strings.Contains(got, part) {
			w.Fatalf("%s\n got  %s\n want %s in it", request, got, part)
		}
	}
	return got
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	sorted, _ := json.Marshal(value)
	return string(sorted)
}

func (w *world) node(name, cpu string) {
	w.Helper()
	w.want(fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"labels":{"kubernetes.io/hostname":%q}},
		"status":{"allocatable":{"cpu":%q,"memory":"8Gi","pods":"110"}}}}`, name, name, cpu), `{"records":[]}`)
}

func (w *world) pod(name, cpu string, priority int, script string) {
	w.Helper()
	w.want(podRequest(name, cpu, priority, script), `{"records":[]}`)
}

func podRequest(name, cpu string, priority int, script string) string {
	if script == "" {
		script = "{}"
	}
	quoted, _ := json.Marshal(script)
	return fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"annotations":{"refsched.dev/script":%s}},
		"spec":{"priority":%d,"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":%q}}}]}}}`, name, quoted, priority, cpu)
}

// queues observes where pods are.
func (w *world) queues(active, backoff, unschedulable string) {
	w.Helper()
	list := func(names string) string {
		if names == "" {
			return "[]"
		}
		return `["default/` + strings.ReplaceAll(names, " ", `","default/`) + `"]`
	}
	w.wantHas(`{"observe":{}}`, fmt.Sprintf(`{"queues":{"active":%s,"backoff":%s,"unschedulable":%s}}`, list(active), list(backoff), list(unschedulable)))
}
