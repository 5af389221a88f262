// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"refsched.dev/recorder/wire"
)

const (
	// scriptAnnotation says what scripted plugins answer for a pod.
	scriptAnnotation = "refsched.dev/script"
	// scriptedReason is what a scripted plugin gives as its reason.
	scriptedReason = "scripted"
)

// script is plugin → point → answer.
type script map[string]map[string]string

var scriptedPoints = map[string][]string{
	"ScriptedA":      {"reserve", "permit", "preBind"},
	"ScriptedB":      {"reserve", "permit", "preBind"},
	"ScriptedBinder": {"bind"},
}

// answer is one entry of a script, read.
type answer struct {
	hold       bool
	code       fwk.Code
	patience   time.Duration // of Wait
	afterBound bool          // bind, and then answer code all the same
	silent     bool          // the entry is absent, or names no code
}

// codes are the framework's names, which its Code prints.
var codes = func() map[string]fwk.Code {
	named := map[string]fwk.Code{}
	for _, code := range []fwk.Code{fwk.Success, fwk.Error, fwk.Unschedulable, fwk.UnschedulableAndUnresolvable, fwk.Wait, fwk.Skip, fwk.Pending} {
		named[code.String()] = code
	}
	return named
}()

// readScript reads a pod's script, and refuses one that says what no plugin can do.
func readScript(pod *v1.Pod) (script, error) {
	text, has := pod.Annotations[scriptAnnotation]
	if !has {
		return nil, nil
	}
	var read script
	decoder := json.NewDecoder(bytes.NewBufferString(text))
	if err := decoder.Decode(&read); err != nil {
		return nil, fmt.Errorf("pod %s: annotation %s: %w", podName(pod), scriptAnnotation, err)
	}
	for plugin, points := range read {
		for point, text := range points {
			if err := checkEntry(plugin, point, text); err != nil {
				return nil, fmt.Errorf("pod %s: annotation %s: %s.%s: %w", podName(pod), scriptAnnotation, plugin, point, err)
			}
		}
	}
	return read, nil
}

func checkEntry(plugin, point, text string) error {
	for _, known := range scriptedPoints[plugin] {
		if known != point {
			continue
		}
		entry, err := readAnswer(text)
		switch {
		case err != nil:
			return err
		case entry.code == fwk.Wait && point != "permit":
			return fmt.Errorf("only permit can answer Wait")
		case entry.afterBound && point != "bind":
			return fmt.Errorf("only bind can answer ErrorAfterBound")
		}
		return nil
	}
	return fmt.Errorf("there is no such plugin and point")
}

// readAnswer reads CODE, Wait, Wait:SECONDS, Hold, Hold:ANSWER and ErrorAfterBound.
func readAnswer(text string) (answer, error) {
	name, rest, more := strings.Cut(text, ":")
	switch {
	case name == "Hold" && !more:
		return answer{hold: true, silent: true}, nil
	case name == "Hold":
		held, err := readAnswer(rest)
		held.hold = true
		return held, err
	case name == "Wait" && more:
		seconds, err := strconv.ParseFloat(rest, 64)
		if err != nil || seconds < 0 {
			return answer{}, fmt.Errorf("%q does not say how many seconds to wait", text)
		}
		return answer{code: fwk.Wait, patience: time.Duration(seconds * float64(time.Second))}, nil
	case text == "Wait":
		return answer{code: fwk.Wait, patience: maxPermit}, nil
	case text == "ErrorAfterBound":
		return answer{code: fwk.Error, afterBound: true}, nil
	}
	code, known := codes[text]
	if !known {
		return answer{}, fmt.Errorf("%q is no answer", text)
	}
	return answer{code: code}, nil
}

// scripted is a plugin that does what a pod's annotation says. It registers for no event, so
// any may requeue a pod that it refused (pkg/scheduler/framework/runtime/framework.go,
// fillEnqueueExtensions).
type scripted struct {
	name    string
	session *session
}

func (p *scripted) Name() string { return p.name }

// play notes the call, holds it where the script says so, and gives the answer.
func (p *scripted) play(ctx context.Context, point string, pod *v1.Pod) answer {
	c := cycleOf(ctx)
	c.called(p.name, point)
	read, err := readScript(pod)
	if err != nil {
		fault("a script that was refused was stored: %v", err)
	}
	text, has := read[p.name][point]
	if !has {
		return answer{silent: true}
	}
	entry, err := readAnswer(text)
	if err != nil {
		fault("a script that was refused was stored: %v", err)
	}
	if entry.hold {
		p.session.hold(c, wire.Held{Pod: podName(pod), Point: point, Plugin: p.name})
	}
	return entry
}

func (a answer) status() *fwk.Status {
	if a.silent || a.code == fwk.Success {
		return nil
	}
	return fwk.NewStatus(a.code, scriptedReason)
}

// stages is ScriptedA and ScriptedB.
type stages struct{ scripted }

var (
	_ framework.ReservePlugin  = &stages{}
	_ framework.PermitPlugin   = &stages{}
	_ framework.PreBindPlugin  = &stages{}
	_ framework.PostBindPlugin = &stages{}
)

func (p *stages) Reserve(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	return p.play(ctx, "reserve", pod).status()
}

func (p *stages) Unreserve(ctx context.Context, _ fwk.CycleState, _ *v1.Pod, _ string) {
	cycleOf(ctx).called(p.name, "unreserve")
}

func (p *stages) Permit(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	entry := p.play(ctx, "permit", pod)
	return entry.status(), entry.patience
}

func (p *stages) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

func (p *stages) PreBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	return p.play(ctx, "preBind", pod).status()
}

func (p *stages) PostBind(ctx context.Context, _ fwk.CycleState, _ *v1.Pod, _ string) {
	cycleOf(ctx).called(p.name, "postBind")
}

// binder is ScriptedBinder.
type binder struct {
	scripted
	handle framework.Handle
}

var _ framework.BindPlugin = &binder{}

// Bind skips to the next binder unless the script says otherwise. It binds where it answers
// Success, which says that it did, and where it is to fail after that.
func (p *binder) Bind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	entry := p.play(ctx, "bind", pod)
	if entry.silent {
		return fwk.NewStatus(fwk.Skip)
	}
	if entry.afterBound || entry.code == fwk.Success {
		if err := bindPod(ctx, p.handle.ClientSet(), pod, node); err != nil {
			return fwk.AsStatus(err)
		}
	}
	return entry.status()
}

func (s *session) scriptedPlugins() frameworkruntime.Registry {
	newStages := func(name string) frameworkruntime.PluginFactory {
		return func(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error) {
			return &stages{scripted{name, s}}, nil
		}
	}
	return frameworkruntime.Registry{
		"ScriptedA": newStages("ScriptedA"),
		"ScriptedB": newStages("ScriptedB"),
		"ScriptedBinder": func(_ context.Context, _ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
			return &binder{scripted{"ScriptedBinder", s}, handle}, nil
		},
	}
}
