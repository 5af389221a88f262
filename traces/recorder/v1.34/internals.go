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
	fwk "k8s.io/kube-scheduler/framework"
	apidispatcher "k8s.io/kubernetes/pkg/scheduler/backend/api_dispatcher"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
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
	return backoffQueueLenBackoff(unexported(q, "backoffQ").Elem().UnsafePointer())
}

// --- Permit (framework/runtime/waiting_pods_map.go, waitingPod) --------------------------------------

// permitTimers are the timers of the plugins that a waiting pod waits for. They run on the
// real clock; the recorder stops them, and starts them again when they are due on its own.
func permitTimers(pod framework.WaitingPod) map[string]*time.Timer {
	return exposed(unexported(pod, "pendingPlugins")).(map[string]*time.Timer)
}

// permitSignal holds the decision on a waiting pod until its binding cycle takes it.
func permitSignal(pod framework.WaitingPod) chan *fwk.Status {
	return exposed(unexported(pod, "s")).(chan *fwk.Status)
}

// --- Plugins of a profile (framework/runtime/framework.go, frameworkImpl) ----------------------------

func pluginsOf(profile framework.Framework) map[string]framework.Plugin {
	return exposed(unexported(profile, "pluginsMap")).(map[string]framework.Plugin)
}

func permitPluginsOf(profile framework.Framework) []framework.PermitPlugin {
	return exposed(unexported(profile, "permitPlugins")).([]framework.PermitPlugin)
}

func postFilterPluginsOf(profile framework.Framework) []framework.PostFilterPlugin {
	return exposed(unexported(profile, "postFilterPlugins")).([]framework.PostFilterPlugin)
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
	calls := reflect.ValueOf(exposed(unexported(dispatcher, "callQueue")))
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
	return exposed(unexported(binder, "bindTimeout")).(time.Duration)
}

// --- The way in ---------------------------------------------------------------------------------------

// unexported is a field of the struct that object points to. A field that is not there, in a
// version that this file was not read against, stops the program when the scheduler is made.
func unexported(object any, name string) reflect.Value {
	value := reflect.ValueOf(object).Elem().FieldByName(name)
	if !value.IsValid() {
		fault("%T has no field %s: internals.go is for another version", object, name)
	}
	return value
}

// exposed reads an addressable field that reflect would not hand out.
func exposed(field reflect.Value) any {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface()
}
