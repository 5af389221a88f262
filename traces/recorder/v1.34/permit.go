// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"refsched.dev/recorder/wire"
)

// instrumentPermit learns how long each plugin asks to wait: the framework keeps that only
// in the timers that it starts.
func (s *session) instrumentPermit(profile framework.Framework) {
	plugins := permitPluginsOf(profile)
	for i, plugin := range plugins {
		plugins[i] = &permitSpy{plugin}
	}
}

type permitSpy struct{ framework.PermitPlugin }

func (p *permitSpy) Permit(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	status, patience := p.PermitPlugin.Permit(ctx, state, pod, node)
	if status.IsWait() {
		cycleOf(ctx).waits[p.Name()] = patience
	}
	return status, patience
}

// decide allows or rejects a pod that waits on Permit, as the plugins that it waits for would.
func (s *session) decide(decision wire.Decision) error {
	waiting := s.waitingPod(decision.Pod)
	if waiting == nil {
		return fmt.Errorf("%s does not wait on Permit", decision.Pod)
	}
	plugins := waiting.GetPendingPlugins()
	slices.Sort(plugins)
	if decision.Plugin != "" {
		if !slices.Contains(plugins, decision.Plugin) {
			return fmt.Errorf("%s waits on Permit for %q, not for %q", decision.Pod, plugins, decision.Plugin)
		}
		plugins = []string{decision.Plugin}
	}
	switch decision.Decision {
	case "allow":
		for _, plugin := range plugins {
			waiting.Allow(plugin)
		}
	case "reject":
		waiting.Reject(plugins[0], scriptedReason)
	default:
		return fmt.Errorf("a decision is allow or reject, not %q", decision.Decision)
	}
	s.settle()
	return nil
}

func (s *session) waitingPod(name string) framework.WaitingPod {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cycles {
		if c.parked == onPermit && c.attempt.Pod == name {
			return c.profile.GetWaitingPod(c.pod.UID)
		}
	}
	return nil
}
