// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// instrumentVolumes takes VolumeBinding's wait off the real clock.
func (s *session) instrumentVolumes(profile framework.Framework) {
	if plugin, ok := pluginsOf(profile)[names.VolumeBinding].(*volumebinding.VolumeBinding); ok {
		plugin.Binder = &volumeBinder{plugin.Binder, s}
	}
}

// volumeBinder is the real one but for how it sleeps. BindPodVolumes there looks every second
// of the real clock whether its claims are bound (framework/plugins/volumebinding/binder.go).
// This one makes the same two calls, looks whenever a volume, a claim, a node or the pod has
// changed, and gives up by the session's clock.
type volumeBinder struct {
	volumebinding.SchedulerVolumeBinder
	session *session
}

func (b *volumeBinder) BindPodVolumes(ctx context.Context, pod *v1.Pod, volumes *volumebinding.PodVolumes) error {
	binder := unsafe.Pointer(reflect.ValueOf(b.SchedulerVolumeBinder).Pointer())
	claims := make([]*v1.PersistentVolumeClaim, 0, len(volumes.DynamicProvisions))
	for _, provision := range volumes.DynamicProvisions {
		claims = append(claims, provision.PVC)
	}
	if err := bindAPIUpdate(binder, ctx, pod, volumes.StaticBindings, claims); err != nil {
		return err
	}
	if err := b.wait(ctx, func() (bool, error) {
		return checkBindings(binder, klog.FromContext(ctx), pod, volumes.StaticBindings, claims)
	}); err != nil {
		return fmt.Errorf("binding volumes: %w", err)
	}
	return nil
}

func (b *volumeBinder) wait(ctx context.Context, bound func() (bool, error)) error {
	c, s := cycleOf(ctx), b.session
	expired := false
	s.mu.Lock()
	s.timers.add(deadline{
		cycle: c,
		due:   s.clock.Now().Add(bindTimeout(b.SchedulerVolumeBinder)),
		expire: func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			expired, c.stale = true, true
			return c.parked == onVolumes
		},
	})
	s.mu.Unlock()
	for {
		if !c.park(onVolumes) {
			return errSessionOver
		}
		if done, err := bound(); done || err != nil {
			return err
		}
		if expired {
			return context.DeadlineExceeded
		}
	}
}

// concernsVolumes tells whether checkBindings reads objects of this kind.
func (k kind) concernsVolumes() bool {
	switch k.gvk.Kind {
	case "PersistentVolume", "PersistentVolumeClaim", "Pod", "Node", "CSINode":
		return true
	}
	return false
}
