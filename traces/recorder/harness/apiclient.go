// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/testing"
)

// react answers one request of the scheduler's client.
func (a *apiServer) react(action testing.Action) (bool, runtime.Object, error) {
	k, known := a.kinds.ofResource(action.GetResource())
	if !known {
		return true, nil, apierrors.NewNotFound(action.GetResource().GroupResource(), "")
	}
	a.mu.Lock()
	result, done, err := a.serve(k, action)
	a.mu.Unlock()
	if done != nil && err == nil {
		a.wrote(*done)
	}
	if result == nil || err != nil {
		return true, nil, err
	}
	return true, result.DeepCopyObject(), nil
}

// serve carries the request out, and says what was written by it.
func (a *apiServer) serve(k Kind, action testing.Action) (runtime.Object, *write, error) {
	switch action := action.(type) {
	case testing.ListActionImpl:
		list, err := listOf(k, a.listLocked(k), a.version)
		return list, nil, err
	case testing.GetActionImpl:
		object, err := a.find(k, action.GetNamespace(), action.GetName())
		return object, nil, err
	case testing.CreateActionImpl:
		if binding, ok := action.GetObject().(*v1.Binding); ok {
			return a.bind(k, action.GetNamespace(), binding)
		}
		object := action.GetObject()
		err := a.createLocked(k, object)
		return object, &write{kind: k, verb: "create", object: object}, err
	case testing.UpdateActionImpl:
		return a.replace(k, action)
	case testing.PatchActionImpl:
		return a.patch(k, action)
	case testing.DeleteActionImpl:
		before := len(a.events)
		object, err := a.removeLocked(k, types.NamespacedName{Namespace: action.GetNamespace(), Name: action.GetName()})
		if a.terminatesLate {
			a.late = append(a.late, a.events[before:]...)
			a.events = a.events[:before]
		}
		return nil, &write{kind: k, verb: "delete", object: object}, err
	}
	return nil, nil, fmt.Errorf("this API server does not serve %T", action)
}

func (a *apiServer) find(k Kind, namespace, name string) (runtime.Object, error) {
	object, exists := a.objects[k.gvr][types.NamespacedName{Namespace: namespace, Name: name}]
	if !exists {
		return nil, apierrors.NewNotFound(k.gvr.GroupResource(), name)
	}
	return object, nil
}

// errStale is what a real API server says (apiserver, registry/generic/registry/store.go, OptimisticLockErrorMsg).
var errStale = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// replace stores the client's object unless it was made from a stale one.
func (a *apiServer) replace(k Kind, action testing.UpdateActionImpl) (runtime.Object, *write, error) {
	object := action.GetObject()
	accessor, key := identify(object)
	old, err := a.find(k, key.Namespace, key.Name)
	if err != nil {
		return nil, nil, err
	}
	oldAccessor, _ := identify(old)
	if had := accessor.GetResourceVersion(); had != "" && had != oldAccessor.GetResourceVersion() {
		return nil, nil, apierrors.NewConflict(k.gvr.GroupResource(), key.Name, errStale)
	}
	if a.keeps != nil {
		a.keeps(object, old, action.GetSubresource())
	}
	a.store(k, key, object, watch.Modified)
	return object, &write{kind: k, verb: "update", subresource: action.GetSubresource(), object: object}, nil
}

// patch applies what PatchPodStatus sends (pkg/scheduler/util/utils.go): a strategic merge patch.
func (a *apiServer) patch(k Kind, action testing.PatchActionImpl) (runtime.Object, *write, error) {
	if action.GetPatchType() != types.StrategicMergePatchType {
		return nil, nil, fmt.Errorf("this API server does not serve patches of type %s", action.GetPatchType())
	}
	old, err := a.find(k, action.GetNamespace(), action.GetName())
	if err != nil {
		return nil, nil, err
	}
	before, err := json.Marshal(old)
	if err != nil {
		return nil, nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, action.GetPatch(), old)
	if err != nil {
		return nil, nil, err
	}
	object := reflect.New(reflect.TypeOf(old).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(after, object); err != nil {
		return nil, nil, err
	}
	_, key := identify(object)
	a.store(k, key, object, watch.Modified)
	return object, &write{kind: k, verb: "update", subresource: action.GetSubresource(), object: object}, nil
}

// bind assigns a pod as BindingREST does, refusals included (pkg/registry/core/pod/storage/storage.go,
// setPodNodeAndMetadata). The condition that it sets there is left out: nothing in the scheduler reads it.
func (a *apiServer) bind(k Kind, namespace string, binding *v1.Binding) (runtime.Object, *write, error) {
	stored, err := a.find(k, namespace, binding.Name)
	if err != nil {
		return nil, nil, err
	}
	pod := stored.(*v1.Pod).DeepCopy()
	refuse := func(format string, arguments ...any) (runtime.Object, *write, error) {
		return nil, nil, apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, fmt.Errorf(format, arguments...))
	}
	switch {
	case binding.UID != "" && binding.UID != pod.UID:
		return refuse("Precondition failed: UID in precondition: %s, UID in object meta: %s", binding.UID, pod.UID)
	case pod.DeletionTimestamp != nil:
		return refuse("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return refuse("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case a.mayBeBound != nil:
		if err := a.mayBeBound(pod); err != nil {
			return refuse("%w", err)
		}
	}
	pod.Spec.NodeName = binding.Target.Name
	a.bound[pod.UID] = true
	a.store(k, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod, watch.Modified)
	return binding, nil, nil
}

// watch opens the one watch that a shared informer keeps on a resource.
func (a *apiServer) watch(action testing.Action) (bool, watch.Interface, error) {
	w := &watcher{events: make(chan watch.Event), stopped: make(chan struct{})}
	a.mu.Lock()
	a.watchers[action.GetResource()] = w
	a.mu.Unlock()
	a.notify()
	return true, w, nil
}

// watching is the open watch on a resource, or nil.
func (a *apiServer) watching(gvr schema.GroupVersionResource) *watcher {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.watchers[gvr]
}

// watcher hands events to one reflector.
type watcher struct {
	events  chan watch.Event
	stopped chan struct{}
	once    sync.Once
}

func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

func (w *watcher) Stop() { w.once.Do(func() { close(w.stopped) }) }

func (w *watcher) send(e watch.Event) {
	select {
	case w.events <- e:
	case <-w.stopped:
	}
}

// bindFor binds a pod for somebody else than the scheduler's client.
func (a *apiServer) bindFor(binding *v1.Binding) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, known := a.kinds.ofResource(v1.SchemeGroupVersion.WithResource("pods"))
	if !known {
		return errors.New("there are no pods")
	}
	_, _, err := a.bind(k, binding.Namespace, binding)
	return err
}
