// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/tools/cache"

	"refsched/recorder/harness"
)

// informerFactory hands out client-go's own shared informers, and has noted what their handlers do.
type informerFactory struct {
	informers.SharedInformerFactory
	*harness.Informers
}

func newInformerFactory(inner informers.SharedInformerFactory, notes *harness.Informers) *informerFactory {
	return &informerFactory{inner, notes}
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
	made, known := f.Made(object, func(notes *harness.Informer) any {
		i := &informer{SharedIndexInformer: inner, notes: notes}
		notes.Synced = i.synced
		// A probe, so that one handler at least tells when an informer that is used for its
		// lister alone has stored an object: the store is written before handlers are called.
		_, _ = i.AddEventHandler(cache.ResourceEventHandlerFuncs{})
		return i
	}).(*informer)
	if !known {
		return inner
	}
	return made
}

// informer notes the last event that each handler has finished with.
type informer struct {
	cache.SharedIndexInformer
	notes         *harness.Informer
	registrations map[cache.ResourceEventHandlerRegistration]*harness.Handler
}

func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	noted := &notedHandler{handler, i.notes.Add()}
	registration, err := i.SharedIndexInformer.AddEventHandler(noted)
	return i.register(noted, registration, err)
}

func (i *informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	noted := &notedHandler{handler, i.notes.Add()}
	registration, err := i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(noted, resync)
	return i.register(noted, registration, err)
}

func (i *informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	noted := &notedHandler{handler, i.notes.Add()}
	registration, err := i.SharedIndexInformer.AddEventHandlerWithOptions(noted, options)
	return i.register(noted, registration, err)
}

func (i *informer) RemoveEventHandler(registration cache.ResourceEventHandlerRegistration) error {
	i.notes.Remove(i.registrations[registration])
	delete(i.registrations, registration)
	return i.SharedIndexInformer.RemoveEventHandler(registration)
}

func (i *informer) register(handler *notedHandler, registration cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if err != nil {
		i.notes.Remove(handler.notes)
		return registration, err
	}
	if i.registrations == nil {
		i.registrations = map[cache.ResourceEventHandlerRegistration]*harness.Handler{}
	}
	i.registrations[registration] = handler.notes
	return registration, nil
}

func (i *informer) synced() bool {
	for registration := range i.registrations {
		if !registration.HasSynced() {
			return false
		}
	}
	return i.HasSynced()
}

// notedHandler passes events on, and notes each when it has been handled.
type notedHandler struct {
	handler cache.ResourceEventHandler
	notes   *harness.Handler
}

func (h *notedHandler) OnAdd(object any, initial bool) {
	h.handler.OnAdd(object, initial)
	h.notes.Done(object)
}

func (h *notedHandler) OnUpdate(before, after any) {
	h.handler.OnUpdate(before, after)
	h.notes.Done(after)
}

func (h *notedHandler) OnDelete(object any) {
	h.handler.OnDelete(object)
	h.notes.Done(harness.Deleted(object))
}
