// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"reflect"
	"time"
	"unsafe" // also for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller/volume/scheduling"
	"k8s.io/kubernetes/pkg/scheduler"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"refsched/recorder/harness"
)

// Everything in this file reaches what Kubernetes does not export. It holds for
// v1.19.16; each reach says what it is for.

// --- The scheduler (pkg/scheduler/scheduler.go) ------------------------------------------------------

//go:linkname scheduleOne k8s.io/kubernetes/pkg/scheduler.(*Scheduler).scheduleOne
func scheduleOne(sched *scheduler.Scheduler, ctx context.Context)

// --- The queue (pkg/scheduler/internal/queue/scheduling_queue.go, PriorityQueue) ---------------------
// Its package cannot be imported. Run would start its two timers on a ticker each; the recorder
// calls them as its clock is advanced.

type queue struct{ pointer reflect.Value }

func queueOf(sched *scheduler.Scheduler) queue { return queue{reflect.ValueOf(sched.SchedulingQueue)} }

//go:linkname flushBackoffQCompleted k8s.io/kubernetes/pkg/scheduler/internal/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoffQCompleted(q unsafe.Pointer)

//go:linkname flushUnschedulableQLeftover k8s.io/kubernetes/pkg/scheduler/internal/queue.(*PriorityQueue).flushUnschedulableQLeftover
func flushUnschedulableQLeftover(q unsafe.Pointer)

//go:linkname heapList k8s.io/kubernetes/pkg/scheduler/internal/heap.(*Heap).List
func heapList(h unsafe.Pointer) []any

func (q queue) flushBackoffQCompleted() { flushBackoffQCompleted(q.pointer.UnsafePointer()) }

func (q queue) flushUnschedulableQLeftover() { flushUnschedulableQLeftover(q.pointer.UnsafePointer()) }

func (q queue) field(name string) reflect.Value {
	return harness.Unexported(q.pointer.Interface(), name)
}

// setClock replaces the real clock, before anything is in the queue.
func (q queue) setClock(clock util.Clock) {
	*(*util.Clock)(unsafe.Pointer(q.field("clock").UnsafeAddr())) = clock
}

func (q queue) active() []*v1.Pod { return q.heap("activeQ") }

func (q queue) backoff() []*v1.Pod { return q.heap("podBackoffQ") }

func (q queue) heap(name string) []*v1.Pod {
	var pods []*v1.Pod
	for _, queued := range heapList(q.field(name).UnsafePointer()) {
		pods = append(pods, queued.(*framework.QueuedPodInfo).Pod)
	}
	return pods
}

func (q queue) unschedulable() []*v1.Pod {
	var pods []*v1.Pod
	for _, queued := range harness.Exposed(q.field("unschedulableQ").Elem().FieldByName("podInfoMap")).(map[string]*framework.QueuedPodInfo) {
		pods = append(pods, queued.Pod)
	}
	return pods
}

// --- Plugins of a profile (framework/runtime/framework.go, frameworkImpl) ----------------------------

func preFilterPluginsOf(profile framework.Framework) []framework.PreFilterPlugin {
	return harness.Exposed(harness.Unexported(profile, "preFilterPlugins")).([]framework.PreFilterPlugin)
}

func scorePluginsOf(profile framework.Framework) []framework.ScorePlugin {
	return harness.Exposed(harness.Unexported(profile, "scorePlugins")).([]framework.ScorePlugin)
}

func preemptHandleOf(profile framework.Framework) *framework.PreemptHandle {
	return (*framework.PreemptHandle)(unsafe.Pointer(harness.Unexported(profile, "preemptHandle").UnsafeAddr()))
}

func permitPluginsOf(profile framework.Framework) []framework.PermitPlugin {
	return harness.Exposed(harness.Unexported(profile, "permitPlugins")).([]framework.PermitPlugin)
}

func preBindPluginsOf(profile framework.Framework) []framework.PreBindPlugin {
	return harness.Exposed(harness.Unexported(profile, "preBindPlugins")).([]framework.PreBindPlugin)
}

// --- VolumeBinding (pkg/controller/volume/scheduling/scheduler_binder.go, BindPodVolumes) -------------

//go:linkname bindAPIUpdate k8s.io/kubernetes/pkg/controller/volume/scheduling.(*volumeBinder).bindAPIUpdate
func bindAPIUpdate(binder unsafe.Pointer, podName string, bindings []*scheduling.BindingInfo, claims []*v1.PersistentVolumeClaim) error

//go:linkname checkBindings k8s.io/kubernetes/pkg/controller/volume/scheduling.(*volumeBinder).checkBindings
func checkBindings(binder unsafe.Pointer, pod *v1.Pod, bindings []*scheduling.BindingInfo, claims []*v1.PersistentVolumeClaim) (bool, error)

func bindTimeout(binder scheduling.SchedulerVolumeBinder) time.Duration {
	return harness.Exposed(harness.Unexported(binder, "bindTimeout")).(time.Duration)
}
