// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"errors"
	"reflect"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// instrumentDevices takes DynamicResources off the real clock: its wait in PreBind for a device's binding
// conditions, the age of an allocation, and its wait for the event of a claim that it made.
func (i *instance) instrumentDevices(profile framework.Framework) {
	plugin, ok := pluginsOf(profile)[names.DynamicResources].(*dynamicresources.DynamicResources)
	if !ok || harness.Unexported(plugin, "draManager").IsNil() {
		return
	}
	field := harness.Unexported(plugin, "draManager")
	manager := (*minor.SharedDRAManager)(unsafe.Pointer(field.UnsafeAddr()))
	devices := &deviceManager{SharedDRAManager: *manager, plugin: plugin, session: i.session}
	*manager = devices
	plugins := preBindPluginsOf(profile)
	for n, each := range plugins {
		if each.Name() == names.DynamicResources {
			plugins[n] = &deviceBinder{each, devices}
		}
	}
}

// deviceManager is the real one but for what it says of time.
type deviceManager struct {
	minor.SharedDRAManager
	plugin  *dynamicresources.DynamicResources
	session *harness.Session
	// binding is set while the goroutine of a pod runs that is in PreBind. There is one at the most.
	binding *deviceWait
	// looking is the same pod's while it looks whether its claims are ready.
	looking *deviceWait
}

// deviceWait is a pod's wait in PreBind. Its context ends when the session's clock says so, as one with a deadline.
type deviceWait struct {
	context.Context
	cycle   *harness.Cycle
	devices *deviceManager
	state   unsafe.Pointer
	began   time.Time
	polls   bool // a poll of PreBind has begun
	over    chan struct{}
	err     error
}

// Deadline is asked for where a poll begins.
func (w *deviceWait) Deadline() (time.Time, bool) {
	w.polls = true
	return w.Context.Deadline()
}

func (w *deviceWait) Done() <-chan struct{} { return w.over }

func (w *deviceWait) Err() error {
	select {
	case <-w.over:
		return w.err
	default:
		return nil
	}
}

func (w *deviceWait) end(err error) {
	w.err = err
	close(w.over)
}

// deviceBinder runs the real PreBind in a context whose end the session decides.
type deviceBinder struct {
	minor.PreBindPlugin
	devices *deviceManager
}

func (b *deviceBinder) PreBind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	wait := &deviceWait{
		Context: ctx,
		cycle:   harness.CycleOf(ctx),
		devices: b.devices,
		began:   b.devices.session.Clock().Now(),
		over:    make(chan struct{}),
	}
	if data, err := state.Read(names.DynamicResources); err == nil {
		wait.state = reflect.ValueOf(data).UnsafePointer()
	}
	stop := context.AfterFunc(ctx, func() { wait.end(ctx.Err()) })
	defer stop()
	b.devices.binding = wait
	defer func() { b.devices.binding, b.devices.looking = nil, nil }()
	return b.PreBindPlugin.PreBind(wait, state, pod, node)
}

// lookEvery is how often PreBind looks whether its claims are ready.
const lookEvery = 5 * time.Second

// untilDecided returns when the next look of PreBind at its claims ends the wait, or the time is up. A claim that is
// ready or has failed is seen at once, and one whose allocation is too old by the looks that there would be.
func (w *deviceWait) untilDecided() {
	decided := func() (bool, error) {
		w.devices.looking = w
		defer func() { w.devices.looking = nil }()
		done, err := isPodReadyForBinding(w.devices.plugin, w.state)
		return done || err != nil, nil
	}
	if done, _ := decided(); !done {
		over := w.cycle.WaitForObjects(w.Context, lookEvery, deviceTimeout(w.devices.plugin), decided)
		if over != nil && w.Context.Err() == nil {
			w.end(over)
		}
	}
	w.devices.looking = w
}

// lastLook is when PreBind would have looked last. The deadline comes before a look at the same time.
func (w *deviceWait) lastLook() time.Time {
	passed := w.devices.session.Clock().Now().Sub(w.began)
	passed = min(passed, deviceTimeout(w.devices.plugin)-1)
	return w.began.Add(passed.Truncate(lookEvery))
}

func (m *deviceManager) ResourceClaims() minor.ResourceClaimTracker {
	return &claimTracker{m.SharedDRAManager.ResourceClaims(), m}
}

// claimTracker is the real one, which PreBind asks for its claims whenever it looks (dynamicresources.go,
// isPodReadyForBinding). The first time it is asked, it answers when the wait is over.
type claimTracker struct {
	minor.ResourceClaimTracker
	devices *deviceManager
}

func (t *claimTracker) Get(namespace, name string) (*resourceapi.ResourceClaim, error) {
	m := t.devices
	if wait := m.binding; wait != nil && wait.polls && wait.Err() == nil {
		m.binding = nil
		wait.untilDecided()
	}
	at := m.session.Clock().Now()
	if m.looking != nil {
		at = m.looking.lastLook()
	}
	claim, err := t.ResourceClaimTracker.Get(namespace, name)
	return aged(claim, at), err
}

// AssumeClaimAfterAPICall lets the claim that the scheduler made come back as an event, for which the real one would
// look every second (extendeddynamicresources.go, waitForExtendedClaimInAssumeCache).
func (t *claimTracker) AssumeClaimAfterAPICall(claim *resourceapi.ResourceClaim) error {
	err := t.ResourceClaimTracker.AssumeClaimAfterAPICall(claim)
	wait := t.devices.binding
	if wait == nil || !errors.Is(err, assumecache.ErrNotFound) {
		return err
	}
	t.devices.binding = nil
	if !wait.cycle.ShowWrites() {
		return harness.ErrSessionOver
	}
	wait.polls, t.devices.binding = false, wait
	return t.ResourceClaimTracker.AssumeClaimAfterAPICall(claim)
}

// --- The time of an allocation --------------------------------------------------------------------

// aged is a claim whose allocation is as old by the real clock, which the plugin reads (dynamicresources.go,
// isClaimTimeout), as it is by the session's. It is half a second younger, since the real clock goes on.
func aged(claim *resourceapi.ResourceClaim, now time.Time) *resourceapi.ResourceClaim {
	if claim == nil || claim.Status.Allocation == nil || claim.Status.Allocation.AllocationTimestamp == nil {
		return claim
	}
	age := now.Sub(claim.Status.Allocation.AllocationTimestamp.Time) - time.Second/2
	claim = claim.DeepCopy()
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: time.Now().Add(-age)}
	return claim
}

// keeps keeps the status of a claim where the scheduler updates the rest, as an API server does, and the time of
// an allocation, which is the session's for a new one, to the second.
func keeps(object, old runtime.Object, subresource string, now time.Time) {
	claim, ok := object.(*resourceapi.ResourceClaim)
	if !ok {
		return
	}
	before := old.(*resourceapi.ResourceClaim)
	if subresource == "" {
		claim.Status = *before.Status.DeepCopy()
	}
	if claim.Status.Allocation == nil || claim.Status.Allocation.AllocationTimestamp == nil {
		return
	}
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: now.Truncate(time.Second)}
	if before.Status.Allocation != nil && before.Status.Allocation.AllocationTimestamp != nil {
		claim.Status.Allocation.AllocationTimestamp = before.Status.Allocation.AllocationTimestamp
	}
}

// --- DynamicResources (framework/plugins/dynamicresources/dynamicresources.go) ------------------------

//go:linkname isPodReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isPodReadyForBinding
func isPodReadyForBinding(plugin *dynamicresources.DynamicResources, state unsafe.Pointer) (bool, error)

// deviceTimeout is how long PreBind waits. An earlier version has a constant for it, and a gate that is refused.
func deviceTimeout(plugin *dynamicresources.DynamicResources) time.Duration {
	field := reflect.ValueOf(plugin).Elem().FieldByName("bindingTimeout")
	if !field.IsValid() {
		return 0
	}
	return time.Duration(field.Int())
}
