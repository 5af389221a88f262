// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes"

	"refsched.dev/recorder/wire"
)

// hold keeps a plugin's call from returning until the driver releases the pod.
func (s *session) hold(c *cycle, where wire.Held) {
	s.mu.Lock()
	c.held = where
	if s.held == nil {
		s.held = &where
	}
	s.mu.Unlock()
	c.park(onHold)
}

// release lets the oldest cycle go on in which the pod is held.
func (s *session) release(pod string) error {
	s.mu.Lock()
	for _, c := range s.cycles {
		if c.parked == onHold && c.held.Pod == pod {
			c.unpark()
			s.mu.Unlock()
			s.settle()
			return nil
		}
	}
	s.mu.Unlock()
	return fmt.Errorf("%s is not held", pod)
}

// bindPod does what DefaultBinder does (framework/plugins/defaultbinder/default_binder.go).
func bindPod(ctx context.Context, client clientset.Interface, pod *v1.Pod, node string) error {
	return client.CoreV1().Pods(pod.Namespace).Bind(ctx, &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
}
