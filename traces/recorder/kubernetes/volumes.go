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

	"refsched/recorder/harness"
)

// instrumentVolumes takes VolumeBinding's wait off the real clock.
func instrumentVolumes(profile framework.Framework) {
	if plugin, ok := pluginsOf(profile)[names.VolumeBinding].(*volumebinding.VolumeBinding); ok {
		plugin.Binder = &volumeBinder{plugin.Binder}
	}
}

// volumeBinder is the real one but for how it sleeps: it makes the same two calls
// (framework/plugins/volumebinding/binder.go, BindPodVolumes).
type volumeBinder struct {
	volumebinding.SchedulerVolumeBinder
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
	if err := harness.CycleOf(ctx).WaitForObjects(ctx, 0, bindTimeout(b.SchedulerVolumeBinder), func() (bool, error) {
		return checkBindings(binder, klog.FromContext(ctx), pod, volumes.StaticBindings, claims)
	}); err != nil {
		return fmt.Errorf("binding volumes: %w", err)
	}
	return nil
}
