// SPDX-License-Identifier: Apache-2.0

// Package wiretest speaks to a recorder under test in the protocol's own words.
package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"refsched/recorder/wire"
)

// World is a recorder under test.
type World struct {
	*testing.T
	Recorder wire.Scheduler
	// Header is what each configuration begins with, apiVersion and kind, without a brace.
	Header string
	// Scripted are the points at which the scripted plugins are enabled, besides Bind.
	scripted string
}

// NewWorld is one whose recorder has been reset with this configuration, or the default one where that is empty.
// The recorder reads configurations of this apiVersion, in which the scripted plugins are enabled at these points.
func NewWorld(t *testing.T, recorder wire.Scheduler, apiVersion string, points ...string) *World {
	w := &World{T: t, Recorder: recorder, Header: fmt.Sprintf(`"apiVersion":%q,"kind":"KubeSchedulerConfiguration"`, apiVersion)}
	for _, point := range points {
		w.scripted += fmt.Sprintf(`%q:{"enabled":[{"name":"ScriptedA"},{"name":"ScriptedB"}]},`, point)
	}
	return w
}

// ScriptedConfig enables the scripted plugins as recordings do.
func (w *World) ScriptedConfig() string {
	return `{` + w.Header + `,"profiles":[{"schedulerName":"default-scheduler","plugins":{` + w.scripted +
		`"bind":{"disabled":[{"name":"*"}],"enabled":[{"name":"ScriptedBinder"},{"name":"DefaultBinder"}]}}}]}`
}

// Reset asks for an empty cluster. The configuration is the default one where none is given; more are other
// members of the request, a comma before each.
func (w *World) Reset(config, more string) {
	w.Helper()
	if config == "" {
		config = `{` + w.Header + `}`
	}
	w.Want(`{"reset":{"config":`+config+more+`}}`, `{}`)
}

// Ask sends one request and returns the answer as it would go over the wire.
func (w *World) Ask(request string) string {
	w.Helper()
	answer, err := json.Marshal(wire.Handle(w.Recorder, []byte(request)))
	if err != nil {
		w.Fatalf("%s: the answer does not encode: %v", request, err)
	}
	return string(answer)
}

// Want sends one request and compares the answer, members in any order.
func (w *World) Want(request, answer string) {
	w.Helper()
	if got := w.Ask(request); canonical(w.T, got) != canonical(w.T, answer) {
		w.Fatalf("%s\n got  %s\n want %s", request, got, answer)
	}
}

// WantHas sends one request and looks for parts of the answer.
func (w *World) WantHas(request string, parts ...string) string {
	w.Helper()
	got := w.Ask(request)
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

// Node creates one.
func (w *World) Node(name, cpu string) {
	w.Helper()
	w.Want(fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"labels":{"kubernetes.io/hostname":%q}},
		"status":{"allocatable":{"cpu":%q,"memory":"8Gi","pods":"110"}}}}`, name, name, cpu), `{"records":[]}`)
}

// Pod creates one.
func (w *World) Pod(name, cpu string, priority int, script string) {
	w.Helper()
	w.Want(PodRequest(name, cpu, priority, script), `{"records":[]}`)
}

// PodRequest asks for a pod with one container.
func PodRequest(name, cpu string, priority int, script string) string {
	if script == "" {
		script = "{}"
	}
	quoted, _ := json.Marshal(script)
	return fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"annotations":{"refsched.dev/script":%s}},
		"spec":{"priority":%d,"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":%q}}}]}}}`, name, quoted, priority, cpu)
}

// Queues observes where pods are.
func (w *World) Queues(active, backoff, unschedulable string) {
	w.Helper()
	list := func(names string) string {
		if names == "" {
			return "[]"
		}
		return `["default/` + strings.ReplaceAll(names, " ", `","default/`) + `"]`
	}
	w.WantHas(`{"observe":{}}`, fmt.Sprintf(`{"queues":{"active":%s,"backoff":%s,"unschedulable":%s}}`, list(active), list(backoff), list(unschedulable)))
}
