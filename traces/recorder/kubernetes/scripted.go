// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// scripted is a plugin that does what a pod's annotation says. It registers for no event, so
// any may requeue a pod that it refused (pkg/scheduler/framework/runtime/framework.go,
// fillEnqueueExtensions).
type scripted struct{ name string }

func (p *scripted) Name() string { return p.name }

// codes are the framework's names, which its Code prints.
var codes = func() map[string]fwk.Code {
	named := map[string]fwk.Code{}
	for _, code := range []fwk.Code{fwk.Success, fwk.Error, fwk.Unschedulable, fwk.UnschedulableAndUnresolvable, fwk.Wait, fwk.Skip, fwk.Pending} {
		named[code.String()] = code
	}
	return named
}()

func (p *scripted) play(ctx context.Context, point string, pod *v1.Pod) harness.Answer {
	return harness.CycleOf(ctx).Play(p.name, point, pod)
}

func answered(answer harness.Answer) *fwk.Status {
	if answer.Silent || codes[answer.Code] == fwk.Success {
		return nil
	}
	return fwk.NewStatus(codes[answer.Code], harness.ScriptedReason)
}

// stages is ScriptedA and ScriptedB. That each interface is one that this version has is said here, since a
// plugin that does not have it is one that is not called.
type stages struct {
	scripted
	minor.PreFlight
}

var (
	_ minor.ReservePlugin  = &stages{}
	_ minor.PermitPlugin   = &stages{}
	_ minor.PreBindPlugin  = &stages{}
	_ minor.PostBindPlugin = &stages{}
)

func (p *stages) Reserve(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	return answered(p.play(ctx, "reserve", pod))
}

func (p *stages) Unreserve(ctx context.Context, _ fwk.CycleState, _ *v1.Pod, _ string) {
	harness.CycleOf(ctx).Called(p.name, "unreserve")
}

func (p *stages) Permit(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	entry := p.play(ctx, "permit", pod)
	return answered(entry), entry.Patience
}

func (p *stages) PreBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	return answered(p.play(ctx, "preBind", pod))
}

func (p *stages) PostBind(ctx context.Context, _ fwk.CycleState, _ *v1.Pod, _ string) {
	harness.CycleOf(ctx).Called(p.name, "postBind")
}

// binder is ScriptedBinder.
type binder struct {
	scripted
	handle minor.Handle
}

var _ minor.BindPlugin = &binder{}

// Bind skips to the next binder unless the script says otherwise. It binds where it answers
// Success, which says that it did, and where it is to fail after that.
func (p *binder) Bind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	entry := p.play(ctx, "bind", pod)
	if entry.Silent {
		return fwk.NewStatus(fwk.Skip)
	}
	if entry.AfterBound || codes[entry.Code] == fwk.Success {
		if err := bindPod(ctx, p.handle.ClientSet(), pod, node); err != nil {
			return fwk.AsStatus(err)
		}
	}
	return answered(entry)
}

func scriptedPlugins() frameworkruntime.Registry {
	newStages := func(name string) frameworkruntime.PluginFactory {
		return func(context.Context, runtime.Object, minor.Handle) (minor.Plugin, error) {
			return &stages{scripted: scripted{name}}, nil
		}
	}
	return frameworkruntime.Registry{
		"ScriptedA": newStages("ScriptedA"),
		"ScriptedB": newStages("ScriptedB"),
		"ScriptedBinder": func(_ context.Context, _ runtime.Object, handle minor.Handle) (minor.Plugin, error) {
			return &binder{scripted{"ScriptedBinder"}, handle}, nil
		},
	}
}

// bindPod does what DefaultBinder does (framework/plugins/defaultbinder/default_binder.go).
func bindPod(ctx context.Context, client clientset.Interface, pod *v1.Pod, node string) error {
	return client.CoreV1().Pods(pod.Namespace).Bind(ctx, &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
}
