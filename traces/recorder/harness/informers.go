// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
)

// Informers knows of each shared informer whether every handler on it has finished with a given
// event. That is the condition the recorder waits for after each change.
type Informers struct {
	session *Session
	mu      sync.Mutex
	byGVR   map[schema.GroupVersionResource]*Informer
}

// NewInformers knows of none yet.
func (s *Session) NewInformers() *Informers {
	return &Informers{session: s, byGVR: map[schema.GroupVersionResource]*Informer{}}
}

// Made is the informer for objects of this type. It is made where there is none. Unknown kinds
// have none.
func (f *Informers) Made(object runtime.Object, wrap func(*Informer) any) any {
	gvks, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		Fault("an informer for an unknown type %v: %v", reflect.TypeOf(object), err)
	}
	k, known := f.session.api.kinds.ofType(gvks[0])
	if !known {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	made, exists := f.byGVR[k.gvr]
	if !exists {
		made = &Informer{notify: f.session.notify}
		f.byGVR[k.gvr] = made
		made.wrapped = wrap(made)
	}
	return made.wrapped
}

// of is the informer for a resource, or nil where nobody watches that.
func (f *Informers) of(gvr schema.GroupVersionResource) *Informer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byGVR[gvr]
}

// synced tells whether all informers, and all handlers on them, have seen the empty cluster.
func (f *Informers) synced(watching func(schema.GroupVersionResource) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for gvr, i := range f.byGVR {
		if !watching(gvr) || !i.Synced() {
			return false
		}
	}
	return true
}

// Informer notes the last event that each handler has finished with.
type Informer struct {
	// Synced tells whether it and all its handlers have seen the empty cluster.
	Synced func() bool

	notify  func()
	wrapped any

	mu       sync.Mutex
	handlers []*Handler
}

// Handler notes the last event that one handler has finished with.
type Handler struct {
	notify func()
	last   atomic.Pointer[string]
}

// Add notes another handler.
func (i *Informer) Add() *Handler {
	handler := &Handler{notify: i.notify}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handlers = append(i.handlers, handler)
	return handler
}

// Remove forgets a handler, of which nothing is to be waited for any more.
func (i *Informer) Remove(handler *Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handlers = slices.DeleteFunc(i.handlers, func(h *Handler) bool { return h == handler })
}

// handled tells whether every handler has finished with the event of this resource version.
func (i *Informer) handled(version string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, handler := range i.handlers {
		if seen := handler.last.Load(); seen == nil || *seen != version {
			return false
		}
	}
	return true
}

// Done notes that the handler has finished with the event that brought this object.
func (h *Handler) Done(object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		Fault("an event without an object: %v", err)
	}
	version := accessor.GetResourceVersion()
	h.last.Store(&version)
	h.notify()
}

// Deleted is the object that a handler was told is gone.
func Deleted(object any) any {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		return unknown.Obj
	}
	return object
}
