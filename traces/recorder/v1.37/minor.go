// SPDX-License-Identifier: Apache-2.0

// Package minor is what the recorder of kube-scheduler (../kubernetes) has to know of v1.37 alone: where its types
// are, and what is spelled otherwise in other versions. It is to be read again for each new version.
package minor

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"refsched/recorder/harness"
)

const (
	// Kubernetes is the minor version, and Tag the one that go.mod requires.
	Kubernetes, Tag = "1.37", "v1.37.2"
	// NominatesForExpectation is set where a pod that waits in its binding cycle is nominated by default
	// (NominatedNodeNameForExpectation).
	NominatesForExpectation = true
	// Batches is set where there is OpportunisticBatching.
	Batches = true
	// PreemptingField is the field of DefaultPreemption that is a Preempting.
	PreemptingField = "Executor"
)

// UnsupportedGates are feature gates that cannot be recorded when they are on, with the reason.
var UnsupportedGates = map[string]string{
	"GenericWorkload": "groups of pods are not recorded",
}

// DeviceTaintRules are served in the version that the scheduler watches (scheduler.go, New).
var DeviceTaintRules = harness.NewKind("resource.k8s.io", "v1", "DeviceTaintRule", "devicetaintrules", false, "v1beta2", "v1alpha3")

// What the framework's interfaces are.
type (
	BindPlugin           = fwk.BindPlugin
	Extender             = fwk.Extender
	Handle               = fwk.Handle
	NodePluginScores     = fwk.NodePluginScores
	NodeToStatusReader   = fwk.NodeToStatusReader
	NominatingInfo       = fwk.NominatingInfo
	PermitPlugin         = fwk.PermitPlugin
	Plugin               = fwk.Plugin
	PostBindPlugin       = fwk.PostBindPlugin
	PostFilterPlugin     = fwk.PostFilterPlugin
	PostFilterResult     = fwk.PostFilterResult
	PreBindPlugin        = fwk.PreBindPlugin
	PreFilterResult      = fwk.PreFilterResult
	ReservePlugin        = fwk.ReservePlugin
	ResourceClaimTracker = fwk.ResourceClaimTracker
	ScorePlugin          = fwk.ScorePlugin
	SharedDRAManager     = fwk.SharedDRAManager
	WaitingPod           = fwk.WaitingPod
)

// ModeOverride is the mode of a nomination that replaces another, or clears it.
const ModeOverride = fwk.ModeOverride

// Created does what only the creation of a pod does (pkg/registry/core/pod/strategy.go, PrepareForCreate), beside
// folding its label keys: resources of the pod as a whole are defaulted by those of its containers.
func Created(pod *v1.Pod) {
	if pod.Spec.Resources == nil {
		return
	}
	var internal api.PodSpec
	if err := corev1.Convert_v1_PodSpec_To_core_PodSpec(pod.Spec.DeepCopy(), &internal, nil); err != nil {
		harness.Fault("the pod %s cannot be converted: %v", harness.PodName(pod), err)
	}
	defaulted := &api.Pod{Spec: internal}
	podutil.DefaultPodLevelResources(defaulted)
	var spec v1.PodSpec
	if err := corev1.Convert_core_PodSpec_To_v1_PodSpec(&defaulted.Spec, &spec, nil); err != nil {
		harness.Fault("the pod %s cannot be converted: %v", harness.PodName(pod), err)
	}
	pod.Spec.Resources = spec.Resources
}

// NewInformerFactory makes one as the scheduler's program does.
func NewInformerFactory(client clientset.Interface) informers.SharedInformerFactory {
	return scheduler.NewInformerFactory(client, 0, nil)
}

// EventRecorder is what a profile is given (pkg/scheduler/profile/profile.go, RecorderFactory).
type EventRecorder = events.EventRecorderLogger

// NoEvents drops events.
type NoEvents struct{ harness.NoEvents }

// WithLogger changes nothing.
func (n NoEvents) WithLogger(klog.Logger) events.EventRecorderLogger { return n }

// FlushUnschedulable is what the queue does every 30 seconds (backend/queue/scheduling_queue.go, Run).
//
//go:linkname FlushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func FlushUnschedulable(q *queue.PriorityQueue, logger klog.Logger)

// SchedulePod is the scheduling algorithm of one pod, in which run calls the real one.
type SchedulePod = func(ctx context.Context, profile framework.Framework, pod *v1.Pod, run func() (scheduler.ScheduleResult, error)) (scheduler.ScheduleResult, error)

// WrapSchedulePod puts something around the scheduling algorithm.
func WrapSchedulePod(s *scheduler.Scheduler, around SchedulePod) {
	schedulePod := s.SchedulePod
	s.SchedulePod = func(ctx context.Context, profile framework.Framework, state fwk.CycleState, pod *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		return around(ctx, profile, pod.Pod, func() (scheduler.ScheduleResult, error) { return schedulePod(ctx, profile, state, pod) })
	}
}

// Framework is a profile's, and notes that a pod has passed Permit, or waits there.
type Framework struct {
	framework.Framework
	permitting *harness.Cycle
}

// RunPermitPlugins notes the cycle for AddWaitingPod, which comes next where the pod is to wait.
func (f *Framework) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (map[string]time.Duration, *fwk.Status) {
	waits, status := f.Framework.RunPermitPlugins(ctx, state, pod, node)
	f.permitting = harness.CycleOf(ctx)
	if status.IsSuccess() {
		f.permitting.Permitted(nil)
	}
	return waits, status
}

// AddWaitingPod notes the pod that waits.
func (f *Framework) AddWaitingPod(pod *v1.Pod, waits map[string]time.Duration) {
	f.Framework.AddWaitingPod(pod, waits)
	f.permitting.Permitted(f.GetWaitingPod(pod.UID))
}

// RunPreBindPreFlights lets no plugins run side by side in PreBind: each order of what they do is one in which they
// might have run, and this one is the same each time.
func (f *Framework) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := f.Framework.RunPreBindPreFlights(ctx, state, pod, node)
	state.SetParallelPreBindPlugins(nil)
	return status
}

// PreFlight makes of a plugin one that always runs in PreBind.
type PreFlight struct{}

// PreBindPreFlight is Success.
func (PreFlight) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, nil
}

// Preempting is what preempts for a plugin.
type Preempting = preemption.Executor

// WrapPreemptPod notes whom a preemption concerns, each time that it preempts one of them.
func WrapPreemptPod(p *Preempting, note func(victims []*v1.Pod)) {
	preemptPod := p.PreemptPod
	p.PreemptPod = func(ctx context.Context, candidate preemption.Candidate, preemptor preemption.ExecutorPreemptor, victim *v1.Pod, name string) (bool, error) {
		note(candidate.Victims().Pods)
		return preemptPod(ctx, candidate, preemptor, victim, name)
	}
}
