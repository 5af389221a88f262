// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

// apiServer stores objects and tells watchers of them, in the place of a real one.
//
// It differs from client-go's object tracker, which it replaces, in what the scheduler
// can tell: each write bears a new resource version, a stale one is a conflict, and a
// write's event waits until the session delivers it. So the API answers before its
// events come back, always, and one event is handled before the next is sent.
type apiServer struct {
	kinds          kinds
	terminatesLate bool
	// mayBeBound says why a pod may not, beside what every version asks; nil where that is nothing.
	mayBeBound func(*v1.Pod) error
	// notify is called when something that the session may wait for has changed.
	notify func()
	// keeps is Version.Keeps.
	keeps func(object, old runtime.Object, subresource string)
	// wrote is called, unlocked, for what the scheduler wrote, with the object as stored
	// (for a deletion: as it was).
	wrote func(write)

	mu       sync.Mutex
	version  int
	created  int // what uids and generated names are counted by
	objects  map[schema.GroupVersionResource]map[types.NamespacedName]runtime.Object
	events   []event
	late     []event // those that come after all others, where deletions do
	watchers map[schema.GroupVersionResource]*watcher
	bound    map[types.UID]bool
}

// event is a change that watchers have not been told yet.
type event struct {
	kind    Kind
	version string
	watch.Event
}

// write is what the scheduler did through the client.
type write struct {
	kind        Kind
	verb        string
	subresource string
	object      runtime.Object
}

func newAPIServer(version *Version, notify func(), wrote func(write)) *apiServer {
	return &apiServer{
		kinds:          version.Kinds,
		terminatesLate: version.TerminatesLate,
		mayBeBound:     version.MayBeBound,
		notify:         notify,
		wrote:          wrote,
		objects:        map[schema.GroupVersionResource]map[types.NamespacedName]runtime.Object{},
		watchers:       map[schema.GroupVersionResource]*watcher{},
		bound:          map[types.UID]bool{},
	}
}

// clientset is what the scheduler talks to.
func (a *apiServer) clientset() *fake.Clientset {
	client := &fake.Clientset{}
	client.AddReactor("*", "*", a.react)
	client.AddWatchReactor("*", a.watch)
	return client
}

// create stores a new object, as a driver or a controller would have it created.
func (a *apiServer) create(k Kind, object runtime.Object) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.createLocked(k, object)
}

func (a *apiServer) createLocked(k Kind, object runtime.Object) error {
	accessor, _ := identify(object)
	a.created++
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(fmt.Sprintf("%s%05d", accessor.GetGenerateName(), a.created))
	}
	if accessor.GetUID() == "" {
		accessor.SetUID(types.UID(fmt.Sprintf("refsched-uid-%d", a.created)))
	}
	_, key := identify(object)
	if _, exists := a.objects[k.gvr][key]; exists {
		return apierrors.NewAlreadyExists(k.gvr.GroupResource(), accessor.GetName())
	}
	a.store(k, key, object, watch.Added)
	return nil
}

// update replaces an object. A uid that the driver left out stays as it was.
func (a *apiServer) update(k Kind, object runtime.Object) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	accessor, key := identify(object)
	old, exists := a.objects[k.gvr][key]
	if !exists {
		return apierrors.NewNotFound(k.gvr.GroupResource(), accessor.GetName())
	}
	if oldAccessor, _ := identify(old); accessor.GetUID() == "" {
		accessor.SetUID(oldAccessor.GetUID())
	}
	a.store(k, key, object, watch.Modified)
	return nil
}

// remove deletes an object at once: no grace period, no finalizer.
func (a *apiServer) remove(k Kind, key types.NamespacedName) (runtime.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.removeLocked(k, key)
}

func (a *apiServer) removeLocked(k Kind, key types.NamespacedName) (runtime.Object, error) {
	object, exists := a.objects[k.gvr][key]
	if !exists {
		return nil, apierrors.NewNotFound(k.gvr.GroupResource(), key.Name)
	}
	delete(a.objects[k.gvr], key)
	// A deletion has a resource version too, and its event's object bears it.
	last := object.DeepCopyObject()
	a.stamp(last)
	a.push(k, last, watch.Deleted)
	return object, nil
}

// get is the stored object, or nil. It must not be changed.
func (a *apiServer) get(k Kind, key types.NamespacedName) runtime.Object {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.objects[k.gvr][key]
}

// list is the stored objects, by namespace and name, as an API server lists them.
func (a *apiServer) list(k Kind) []runtime.Object {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listLocked(k)
}

func (a *apiServer) listLocked(k Kind) []runtime.Object {
	stored := a.objects[k.gvr]
	keys := make([]types.NamespacedName, 0, len(stored))
	for key := range stored {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y types.NamespacedName) int {
		if c := strings.Compare(x.Namespace, y.Namespace); c != 0 {
			return c
		}
		return strings.Compare(x.Name, y.Name)
	})
	objects := make([]runtime.Object, 0, len(keys))
	for _, key := range keys {
		objects = append(objects, stored[key])
	}
	return objects
}

// wasBound tells whether the API server accepted a binding of the pod.
func (a *apiServer) wasBound(uid types.UID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bound[uid]
}

// store keeps the object, which the caller gives away, and queues its event.
func (a *apiServer) store(k Kind, key types.NamespacedName, object runtime.Object, change watch.EventType) {
	a.stamp(object)
	if a.objects[k.gvr] == nil {
		a.objects[k.gvr] = map[types.NamespacedName]runtime.Object{}
	}
	a.objects[k.gvr][key] = object
	a.push(k, object.DeepCopyObject(), change)
}

func (a *apiServer) push(k Kind, object runtime.Object, change watch.EventType) {
	a.events = append(a.events, event{kind: k, version: strconv.Itoa(a.version), Event: watch.Event{Type: change, Object: object}})
	a.notify()
}

// stamp gives the object the next resource version. The scheduler ignores an update of a
// pod whose version it has seen (pkg/scheduler/eventhandlers.go, updatePodInSchedulingQueue),
// and VolumeBinding's assume cache compares versions as numbers.
func (a *apiServer) stamp(object runtime.Object) {
	a.version++
	accessor, _ := identify(object)
	accessor.SetResourceVersion(strconv.Itoa(a.version))
}

// nextEvent takes the oldest undelivered event.
func (a *apiServer) nextEvent() (event, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.events) == 0 {
		a.events, a.late = a.late, nil
	}
	if len(a.events) == 0 {
		return event{}, false
	}
	next := a.events[0]
	a.events = a.events[1:]
	return next, true
}

// listOf builds the typed list that a client expects.
func listOf(k Kind, objects []runtime.Object, version int) (runtime.Object, error) {
	list, err := scheme.Scheme.New(k.gvk.GroupVersion().WithKind(k.gvk.Kind + "List"))
	if err != nil {
		return nil, err
	}
	copies := make([]runtime.Object, 0, len(objects))
	for _, object := range objects {
		copies = append(copies, object.DeepCopyObject())
	}
	if err := meta.SetList(list, copies); err != nil {
		return nil, err
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(strconv.Itoa(version))
	return list, nil
}

func identify(object runtime.Object) (metav1.Object, types.NamespacedName) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		Fault("an object without metadata reached the API: %v", err)
	}
	return accessor, types.NamespacedName{Namespace: accessor.GetNamespace(), Name: accessor.GetName()}
}
