// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"reflect"
	"sync"
	"time"
	"unsafe" // also for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	apidispatcher "k8s.io/kubernetes/pkg/scheduler/backend/api_dispatcher"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"refsched/recorder/harness"
)

// Everything in this file reaches what Kubernetes does not export. It holds for
// v1.34.2 and is to be read again for each other version; each reach says what it is for.

// --- The queue's two timers (pkg/scheduler/backend/queue/scheduling_queue.go, Run) ------------------
// Run would start them on a ticker each. The recorder calls them as its clock is advanced.

//go:linkname flushBackoffQCompleted k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoffQCompleted(q *queue.PriorityQueue, logger klog.Logger)

//go:linkname flushUnschedulablePodsLeftover k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulablePodsLeftover
func flushUnschedulablePodsLeftover(q *queue.PriorityQueue, logger klog.Logger)

// --- Would Pop block? (backend/queue/active_queue.go, unlockedPop) -----------------------------------

//go:linkname backoffQueueLenBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*backoffQueue).lenBackoff
func backoffQueueLenBackoff(q unsafe.Pointer) int

// lenBackoff counts the pods that Pop may take from the backoff queue: those that back off
// because of an error are not among them.
func lenBackoff(q *queue.PriorityQueue) int {
	return backoffQueueLenBackoff(harness.Unexported(q, "backoffQ").Elem().UnsafePointer())
}

// --- Plugins of a profile (framework/runtime/framework.go, frameworkImpl) ----------------------------

func pluginsOf(profile framework.Framework) map[string]framework.Plugin {
	return harness.Exposed(harness.Unexported(profile, "pluginsMap")).(map[string]framework.Plugin)
}

func permitPluginsOf(profile framework.Framework) []framework.PermitPlugin {
	return harness.Exposed(harness.Unexported(profile, "permitPlugins")).([]framework.PermitPlugin)
}

func postFilterPluginsOf(profile framework.Framework) []framework.PostFilterPlugin {
	return harness.Exposed(harness.Unexported(profile, "postFilterPlugins")).([]framework.PostFilterPlugin)
}

// evaluatorOf is the preemption evaluator of a plugin that keeps one as DefaultPreemption does, or nil.
func evaluatorOf(plugin framework.Plugin) *preemption.Evaluator {
	value := reflect.ValueOf(plugin)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := value.Elem().FieldByName("Evaluator")
	if !field.IsValid() || !field.CanInterface() {
		return nil
	}
	evaluator, _ := field.Interface().(*preemption.Evaluator)
	return evaluator
}

// --- Asynchronous API calls (backend/api_dispatcher/call_queue.go, callQueue) -------------------------

// dispatcherIdle tells whether no API call is queued or in flight.
func dispatcherIdle(dispatcher *apidispatcher.APIDispatcher) bool {
	calls := reflect.ValueOf(harness.Exposed(harness.Unexported(dispatcher, "callQueue")))
	lock := (*sync.RWMutex)(unsafe.Pointer(calls.Elem().FieldByName("lock").UnsafeAddr()))
	lock.RLock()
	defer lock.RUnlock()
	return calls.Elem().FieldByName("apiCalls").Len() == 0
}

// --- VolumeBinding (framework/plugins/volumebinding/binder.go, BindPodVolumes) ------------------------

//go:linkname bindAPIUpdate k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).bindAPIUpdate
func bindAPIUpdate(binder unsafe.Pointer, ctx context.Context, pod *v1.Pod, bindings []*volumebinding.BindingInfo, claims []*v1.PersistentVolumeClaim) error

//go:linkname checkBindings k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).checkBindings
func checkBindings(binder unsafe.Pointer, logger klog.Logger, pod *v1.Pod, bindings []*volumebinding.BindingInfo, claims []*v1.PersistentVolumeClaim) (bool, error)

func bindTimeout(binder volumebinding.SchedulerVolumeBinder) time.Duration {
	return harness.Exposed(harness.Unexported(binder, "bindTimeout")).(time.Duration)
}
