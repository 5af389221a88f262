// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/kubernetes/pkg/controller/volume/scheduling"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"refsched/recorder/harness"
)

// instrumentVolumes takes VolumeBinding's wait off the real clock.
func (i *instance) instrumentVolumes(profile framework.Framework) {
	for _, plugin := range preBindPluginsOf(profile) {
		if plugin, ok := plugin.(*volumebinding.VolumeBinding); ok {
			plugin.Binder = &volumeBinder{plugin.Binder, i.session}
		}
	}
}

// volumeBinder is the real one but for how it sleeps: it makes the same two calls
// (pkg/controller/volume/scheduling/scheduler_binder.go, BindPodVolumes).
type volumeBinder struct {
	scheduling.SchedulerVolumeBinder
	session *harness.Session
}

func (b *volumeBinder) BindPodVolumes(pod *v1.Pod, volumes *scheduling.PodVolumes) error {
	binder := unsafe.Pointer(reflect.ValueOf(b.SchedulerVolumeBinder).Pointer())
	if err := bindAPIUpdate(binder, harness.PodName(pod), volumes.StaticBindings, volumes.DynamicProvisions); err != nil {
		return err
	}
	err := b.session.RunningCycle(pod.UID).WaitForObjects(context.Background(), 0, bindTimeout(b.SchedulerVolumeBinder), func() (bool, error) {
		return checkBindings(binder, pod, volumes.StaticBindings, volumes.DynamicProvisions)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = wait.ErrWaitTimeout
	}
	if err != nil {
		return fmt.Errorf("Failed to bind volumes: %v", err)
	}
	return nil
}
