// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
)

// informerFactory hands out client-go's own shared informers, and knows of each
// whether every handler on it has finished with a given event. That is the
// condition the recorder waits for after each change.
type informerFactory struct {
	informers.SharedInformerFactory
	notify func()

	mu    sync.Mutex
	byGVR map[schema.GroupVersionResource]*informer
}

func newInformerFactory(inner informers.SharedInformerFactory, notify func()) *informerFactory {
	return &informerFactory{
		SharedInformerFactory: inner,
		notify:                notify,
		byGVR:                 map[schema.GroupVersionResource]*informer{},
	}
}

var _ internalinterfaces.SharedInformerFactory = &informerFactory{}

// The groups that the scheduler asks for, made so that they come to InformerFor below.

func (f *informerFactory) Core() core.Interface         { return core.New(f, "", nil) }
func (f *informerFactory) Apps() apps.Interface         { return apps.New(f, "", nil) }
func (f *informerFactory) Policy() policy.Interface     { return policy.New(f, "", nil) }
func (f *informerFactory) Storage() storage.Interface   { return storage.New(f, "", nil) }
func (f *informerFactory) Resource() resource.Interface { return resource.New(f, "", nil) }

// InformerFor is where every typed informer of the groups above is made.
func (f *informerFactory) InformerFor(object runtime.Object, create internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	inner := f.SharedInformerFactory.InformerFor(object, create)
	gvks, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		fault("an informer for an unknown type %v: %v", reflect.TypeOf(object), err)
	}
	k, known := kindOf(gvks[0])
	if !known {
		return inner
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	made, exists := f.byGVR[k.gvr]
	if !exists {
		made = &informer{SharedIndexInformer: inner, notify: f.notify}
		f.byGVR[k.gvr] = made
		// A probe, so that one handler at least tells when an informer that is used for its
		// lister alone has stored an object: the store is written before handlers are called.
		_, _ = made.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	}
	return made
}

// informer returns the one for a resource, or nil where nobody watches that.
func (f *informerFactory) informer(gvr schema.GroupVersionResource) *informer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byGVR[gvr]
}

// synced tells whether all informers, and all handlers on them, have seen the empty cluster.
func (f *informerFactory) synced(watching func(schema.GroupVersionResource) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for gvr, i := range f.byGVR {
		if !watching(gvr) || !i.synced() {
			return false
		}
	}
	return true
}

// informer notes the last event that each handler has finished with.
type informer struct {
	cache.SharedIndexInformer
	notify func()

	mu       sync.Mutex
	handlers []*countingHandler
}

func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	counting := i.wrap(handler)
	registration, err := i.SharedIndexInformer.AddEventHandler(counting)
	return i.register(counting, registration, err)
}

func (i *informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	counting := i.wrap(handler)
	registration, err := i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(counting, resync)
	return i.register(counting, registration, err)
}

func (i *informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	counting := i.wrap(handler)
	registration, err := i.SharedIndexInformer.AddEventHandlerWithOptions(counting, options)
	return i.register(counting, registration, err)
}

func (i *informer) RemoveEventHandler(registration cache.ResourceEventHandlerRegistration) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, handler := range i.handlers {
		if handler.registration == registration {
			i.handlers = append(i.handlers[:n:n], i.handlers[n+1:]...)
			break
		}
	}
	return i.SharedIndexInformer.RemoveEventHandler(registration)
}

func (i *informer) wrap(handler cache.ResourceEventHandler) *countingHandler {
	return &countingHandler{handler: handler, notify: i.notify}
}

func (i *informer) register(handler *countingHandler, registration cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if err != nil {
		return registration, err
	}
	handler.registration = registration
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handlers = append(i.handlers, handler)
	return registration, nil
}

func (i *informer) synced() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, handler := range i.handlers {
		if !handler.registration.HasSynced() {
			return false
		}
	}
	return i.HasSynced()
}

// handled tells whether every handler has finished with the event of this resource version.
func (i *informer) handled(version string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, handler := range i.handlers {
		if seen := handler.last.Load(); seen == nil || *seen != version {
			return false
		}
	}
	return true
}

// countingHandler passes events on, and notes each when it has been handled.
type countingHandler struct {
	handler      cache.ResourceEventHandler
	registration cache.ResourceEventHandlerRegistration
	notify       func()
	last         atomic.Pointer[string]
}

func (h *countingHandler) OnAdd(object any, initial bool) {
	h.handler.OnAdd(object, initial)
	h.done(object)
}

func (h *countingHandler) OnUpdate(before, after any) {
	h.handler.OnUpdate(before, after)
	h.done(after)
}

func (h *countingHandler) OnDelete(object any) {
	h.handler.OnDelete(object)
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unknown.Obj
	}
	h.done(object)
}

func (h *countingHandler) done(object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		fault("an event without an object: %v", err)
	}
	version := accessor.GetResourceVersion()
	h.last.Store(&version)
	h.notify()
}
