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

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// Everything in this file reaches what Kubernetes does not export, and holds for each of the
// versions that use it; what is named otherwise in one of them is reached in its own folder.
// It is to be read again for each new version; each reach says what it is for.

// --- The queue's two timers (pkg/scheduler/backend/queue/scheduling_queue.go, Run) ------------------
// Run would start them on a ticker each. The recorder calls them as its clock is advanced. The other one is
// minor.FlushUnschedulable.

//go:linkname flushBackoffQCompleted k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoffQCompleted(q *queue.PriorityQueue, logger klog.Logger)

// --- Would Pop block? (backend/queue/active_queue.go, unlockedPop) -----------------------------------

//go:linkname backoffQueueLenBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*backoffQueue).lenBackoff
func backoffQueueLenBackoff(q unsafe.Pointer) int

// lenBackoff counts the pods that Pop may take from the backoff queue: those that back off
// because of an error are not among them.
func lenBackoff(q *queue.PriorityQueue) int {
	return backoffQueueLenBackoff(harness.Unexported(q, "backoffQ").Elem().UnsafePointer())
}

// --- Plugins of a profile (framework/runtime/framework.go, frameworkImpl) ----------------------------

func pluginsOf(profile framework.Framework) map[string]minor.Plugin {
	return harness.Exposed(harness.Unexported(profile, "pluginsMap")).(map[string]minor.Plugin)
}

func scorePluginsOf(profile framework.Framework) []minor.ScorePlugin {
	return harness.Exposed(harness.Unexported(profile, "scorePlugins")).([]minor.ScorePlugin)
}

func permitPluginsOf(profile framework.Framework) []minor.PermitPlugin {
	return harness.Exposed(harness.Unexported(profile, "permitPlugins")).([]minor.PermitPlugin)
}

func preBindPluginsOf(profile framework.Framework) []minor.PreBindPlugin {
	return harness.Exposed(harness.Unexported(profile, "preBindPlugins")).([]minor.PreBindPlugin)
}

func postFilterPluginsOf(profile framework.Framework) []minor.PostFilterPlugin {
	return harness.Exposed(harness.Unexported(profile, "postFilterPlugins")).([]minor.PostFilterPlugin)
}

// preemptingField is a field of a plugin that keeps there what preempts for it, as DefaultPreemption does; nil
// where the plugin has none.
func preemptingField(plugin minor.Plugin) *minor.Preempting {
	value := reflect.ValueOf(plugin)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := value.Elem().FieldByName(minor.PreemptingField)
	if !field.IsValid() || !field.CanInterface() {
		return nil
	}
	preempting, _ := field.Interface().(*minor.Preempting)
	return preempting
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
