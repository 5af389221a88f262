// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"refsched/recorder/harness"
)

// codes are the framework's.
var codes = []framework.Code{
	framework.Success, framework.Error, framework.Unschedulable,
	framework.UnschedulableAndUnresolvable, framework.Wait, framework.Skip,
}

func codeNames() []string {
	var names []string
	for _, code := range codes {
		names = append(names, code.String())
	}
	return names
}

func answered(answer harness.Answer) *framework.Status {
	for _, code := range codes {
		if code.String() == answer.Code && code != framework.Success {
			return framework.NewStatus(code, harness.ScriptedReason)
		}
	}
	return nil
}

// stages is ScriptedA and ScriptedB: plugins that do what a pod's annotation says.
type stages struct{ name string }

var (
	_ framework.ReservePlugin  = &stages{}
	_ framework.PermitPlugin   = &stages{}
	_ framework.PreBindPlugin  = &stages{}
	_ framework.PostBindPlugin = &stages{}
)

func (p *stages) Name() string { return p.name }

func (p *stages) Reserve(ctx context.Context, _ *framework.CycleState, pod *v1.Pod, _ string) *framework.Status {
	return answered(harness.CycleOf(ctx).Play(p.name, "reserve", pod))
}

func (p *stages) Unreserve(ctx context.Context, _ *framework.CycleState, _ *v1.Pod, _ string) {
	harness.CycleOf(ctx).Called(p.name, "unreserve")
}

func (p *stages) Permit(ctx context.Context, _ *framework.CycleState, pod *v1.Pod, _ string) (*framework.Status, time.Duration) {
	answer := harness.CycleOf(ctx).Play(p.name, "permit", pod)
	return answered(answer), answer.Patience
}

func (p *stages) PreBind(ctx context.Context, _ *framework.CycleState, pod *v1.Pod, _ string) *framework.Status {
	return answered(harness.CycleOf(ctx).Play(p.name, "preBind", pod))
}

func (p *stages) PostBind(ctx context.Context, _ *framework.CycleState, _ *v1.Pod, _ string) {
	harness.CycleOf(ctx).Called(p.name, "postBind")
}

// binder is ScriptedBinder.
type binder struct{ handle framework.FrameworkHandle }

var _ framework.BindPlugin = &binder{}

func (p *binder) Name() string { return "ScriptedBinder" }

// Bind skips to the next binder unless the script says otherwise. It binds where it answers
// Success, which says that it did, and where it is to fail after that.
func (p *binder) Bind(ctx context.Context, _ *framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	answer := harness.CycleOf(ctx).Play(p.Name(), "bind", pod)
	if answer.Silent {
		return framework.NewStatus(framework.Skip)
	}
	if answer.AfterBound || answer.Code == framework.Success.String() {
		// As DefaultBinder does (framework/plugins/defaultbinder/default_binder.go).
		if err := p.handle.ClientSet().CoreV1().Pods(pod.Namespace).Bind(ctx, &v1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Target:     v1.ObjectReference{Kind: "Node", Name: node},
		}, metav1.CreateOptions{}); err != nil {
			return framework.NewStatus(framework.Error, err.Error())
		}
	}
	return answered(answer)
}

func scriptedPlugins() frameworkruntime.Registry {
	newStages := func(name string) frameworkruntime.PluginFactory {
		return func(runtime.Object, framework.FrameworkHandle) (framework.Plugin, error) { return &stages{name}, nil }
	}
	return frameworkruntime.Registry{
		"ScriptedA": newStages("ScriptedA"),
		"ScriptedB": newStages("ScriptedB"),
		"ScriptedBinder": func(_ runtime.Object, handle framework.FrameworkHandle) (framework.Plugin, error) {
			return &binder{handle}, nil
		},
	}
}
