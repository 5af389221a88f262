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
	// waiting is set while the goroutine of a pod runs that is in PreBind. There is one at the most.
	waiting *deviceWait
}

// deviceWait is a pod's wait in PreBind. Its context ends when the session's clock says so, as one with a deadline.
type deviceWait struct {
	context.Context
	cycle *harness.Cycle
	until time.Time
	over  chan struct{}
	err   error
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
		until:   b.devices.session.Clock().Now().Add(deviceTimeout(b.devices.plugin)),
		over:    make(chan struct{}),
	}
	stop := context.AfterFunc(ctx, func() { wait.end(ctx.Err()) })
	defer stop()
	b.devices.waiting = wait
	defer func() { b.devices.waiting = nil }()
	return b.PreBindPlugin.PreBind(wait, state, pod, node)
}

func (m *deviceManager) ResourceClaims() minor.ResourceClaimTracker {
	return &claimTracker{m.SharedDRAManager.ResourceClaims(), m}
}

// claimTracker is the real one, which PreBind asks every five seconds whether its claims are ready
// (dynamicresources.go, isPodReadyForBinding). Here it answers when they are, or the time is up.
type claimTracker struct {
	minor.ResourceClaimTracker
	devices *deviceManager
}

func (t *claimTracker) Get(namespace, name string) (*resourceapi.ResourceClaim, error) {
	claim, err := t.ResourceClaimTracker.Get(namespace, name)
	wait := t.devices.waiting
	if err != nil || wait == nil || wait.Err() != nil || !reservedFor(claim, wait.cycle.Pod) {
		return t.devices.aged(claim), err
	}
	ready := func() (bool, error) {
		claim, err = t.ResourceClaimTracker.Get(namespace, name)
		if err != nil {
			return true, nil
		}
		done, failed := isClaimReadyForBinding(t.devices.plugin, claim)
		return done || failed != nil, nil
	}
	if done, _ := ready(); !done {
		t.devices.waiting = nil
		patience := wait.until.Sub(t.devices.session.Clock().Now())
		over := wait.cycle.WaitForObjects(wait.Context, patience, ready)
		t.devices.waiting = wait
		if over != nil && wait.Context.Err() == nil {
			wait.end(over)
		}
	}
	if claim == nil {
		return nil, err
	}
	// The deadline ends the wait a moment before the age of the allocation would.
	return allocatedAt(claim, time.Now()), err
}

// AssumeClaimAfterAPICall waits until the claim that the scheduler made has come back as an event, for which
// the real one would look every second (extendeddynamicresources.go, waitForExtendedClaimInAssumeCache).
func (t *claimTracker) AssumeClaimAfterAPICall(claim *resourceapi.ResourceClaim) error {
	var err error
	t.devices.session.Poll("the event of a claim that the scheduler made", func() bool {
		err = t.ResourceClaimTracker.AssumeClaimAfterAPICall(claim)
		return !errors.Is(err, assumecache.ErrNotFound) || !t.devices.session.Stores("ResourceClaim", claim.Namespace, claim.Name)
	})
	return err
}

func reservedFor(claim *resourceapi.ResourceClaim, pod *v1.Pod) bool {
	for _, consumer := range claim.Status.ReservedFor {
		if consumer.UID == pod.UID {
			return true
		}
	}
	return false
}

// --- The time of an allocation --------------------------------------------------------------------

// aged is a claim whose allocation is as old by the real clock, which the plugin reads (dynamicresources.go,
// isClaimTimeout), as it is by the session's.
func (m *deviceManager) aged(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	if claim == nil || claim.Status.Allocation == nil || claim.Status.Allocation.AllocationTimestamp == nil {
		return claim
	}
	age := m.session.Clock().Now().Sub(claim.Status.Allocation.AllocationTimestamp.Time)
	return allocatedAt(claim, time.Now().Add(-age))
}

func allocatedAt(claim *resourceapi.ResourceClaim, at time.Time) *resourceapi.ResourceClaim {
	if claim.Status.Allocation == nil || claim.Status.Allocation.AllocationTimestamp == nil {
		return claim
	}
	claim = claim.DeepCopy()
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: at}
	return claim
}

// written puts the time of an allocation that the scheduler writes on the session's clock, to the second, as an
// API server keeps it.
func written(object runtime.Object, now time.Time) {
	claim, ok := object.(*resourceapi.ResourceClaim)
	if !ok || claim.Status.Allocation == nil || claim.Status.Allocation.AllocationTimestamp == nil {
		return
	}
	age := time.Since(claim.Status.Allocation.AllocationTimestamp.Time).Round(time.Second / 2)
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: now.Add(-age).Truncate(time.Second)}
}

// --- DynamicResources (framework/plugins/dynamicresources/dynamicresources.go) ------------------------

//go:linkname isClaimReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimReadyForBinding
func isClaimReadyForBinding(plugin *dynamicresources.DynamicResources, claim *resourceapi.ResourceClaim) (bool, error)

// deviceTimeout is how long PreBind waits. An earlier version has a constant for it, and a gate that is refused.
func deviceTimeout(plugin *dynamicresources.DynamicResources) time.Duration {
	field := reflect.ValueOf(plugin).Elem().FieldByName("bindingTimeout")
	if !field.IsValid() {
		return 0
	}
	return time.Duration(field.Int())
}
