// SPDX-License-Identifier: Apache-2.0

// Package minor is what the recorder of kube-scheduler (../kubernetes) has to know of v1.34 alone: where its types
// are, and what is spelled otherwise in other versions. It is to be read again for each new version.
package minor

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"refsched/recorder/harness"
)

const (
	// Kubernetes is the minor version, and Tag the one that go.mod requires.
	Kubernetes, Tag = "1.34", "v1.34.2"
	// NominatesForExpectation is set where a pod that waits in its binding cycle is nominated by default
	// (NominatedNodeNameForExpectation).
	NominatesForExpectation = false
	// Batches is set where there is OpportunisticBatching.
	Batches = false
	// PreemptingField is the field of DefaultPreemption that is a Preempting.
	PreemptingField = "Evaluator"
)

// UnsupportedGates are feature gates that cannot be recorded when they are on, with the reason.
var UnsupportedGates = map[string]string{
	"DRADeviceBindingConditions": "its wait for a driver, in PreBind, polls by the real clock, and the recorder cannot tell it from work",
}

// DeviceTaintRules are served in the version that the scheduler watches (scheduler.go, New).
var DeviceTaintRules = harness.NewKind("resource.k8s.io", "v1alpha3", "DeviceTaintRule", "devicetaintrules", false)

// What the framework's interfaces are.
type (
	BindPlugin           = framework.BindPlugin
	Extender             = framework.Extender
	Handle               = framework.Handle
	NodePluginScores     = framework.NodePluginScores
	NodeToStatusReader   = framework.NodeToStatusReader
	NominatingInfo       = framework.NominatingInfo
	PermitPlugin         = framework.PermitPlugin
	Plugin               = framework.Plugin
	PostBindPlugin       = framework.PostBindPlugin
	PostFilterPlugin     = framework.PostFilterPlugin
	PostFilterResult     = framework.PostFilterResult
	PreBindPlugin        = framework.PreBindPlugin
	PreFilterResult      = framework.PreFilterResult
	ReservePlugin        = framework.ReservePlugin
	ResourceClaimTracker = framework.ResourceClaimTracker
	ScorePlugin          = framework.ScorePlugin
	SharedDRAManager     = framework.SharedDRAManager
	WaitingPod           = framework.WaitingPod
)

// ModeOverride is the mode of a nomination that replaces another, or clears it.
const ModeOverride = framework.ModeOverride

// Created does what only the creation of a pod does, beside folding its label keys: nothing.
func Created(*v1.Pod) {}

// NewInformerFactory makes one as the scheduler's program does.
func NewInformerFactory(client clientset.Interface) informers.SharedInformerFactory {
	return scheduler.NewInformerFactory(client, 0)
}

// EventRecorder is what a profile is given (pkg/scheduler/profile/profile.go, RecorderFactory).
type EventRecorder = events.EventRecorder

// NoEvents drops events.
type NoEvents = harness.NoEvents

// FlushUnschedulable is what the queue does every 30 seconds (backend/queue/scheduling_queue.go, Run).
//
//go:linkname FlushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulablePodsLeftover
func FlushUnschedulable(q *queue.PriorityQueue, logger klog.Logger)

// SchedulePod is the scheduling algorithm of one pod, in which run calls the real one.
type SchedulePod = func(ctx context.Context, profile framework.Framework, pod *v1.Pod, run func() (scheduler.ScheduleResult, error)) (scheduler.ScheduleResult, error)

// WrapSchedulePod puts something around the scheduling algorithm.
func WrapSchedulePod(s *scheduler.Scheduler, around SchedulePod) {
	schedulePod := s.SchedulePod
	s.SchedulePod = func(ctx context.Context, profile framework.Framework, state fwk.CycleState, pod *v1.Pod) (scheduler.ScheduleResult, error) {
		return around(ctx, profile, pod, func() (scheduler.ScheduleResult, error) { return schedulePod(ctx, profile, state, pod) })
	}
}

// Framework is a profile's, and notes that a pod has passed Permit, or waits there.
type Framework struct{ framework.Framework }

// RunPermitPlugins notes what became of the pod.
func (f *Framework) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := f.Framework.RunPermitPlugins(ctx, state, pod, node)
	switch {
	case status.IsWait():
		harness.CycleOf(ctx).Permitted(f.GetWaitingPod(pod.UID))
	case status.IsSuccess():
		harness.CycleOf(ctx).Permitted(nil)
	}
	return status
}

// PreFlight makes of a plugin one that always runs in PreBind.
type PreFlight struct{}

// PreBindPreFlight is Success.
func (PreFlight) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// Preempting is what preempts for a plugin.
type Preempting = preemption.Evaluator

// WrapPreemptPod notes whom a preemption concerns, each time that it preempts one of them.
func WrapPreemptPod(p *Preempting, note func(victims []*v1.Pod)) {
	preemptPod := p.PreemptPod
	p.PreemptPod = func(ctx context.Context, candidate preemption.Candidate, preemptor, victim *v1.Pod, name string) error {
		note(candidate.Victims().Pods)
		return preemptPod(ctx, candidate, preemptor, victim, name)
	}
}
