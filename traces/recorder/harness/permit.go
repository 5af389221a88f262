// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"refsched/recorder/wire"
)

// MaxPermit is maxTimeout, the longest that Permit may wait (framework/runtime/framework.go).
const MaxPermit = 15 * time.Minute

// WaitOnPermit parks the cycle until the session has seen the decision, and leaves taking
// it to the real one: so there is no moment in which a decided pod seems to wait. It is
// false where the session ends instead.
func (c *Cycle) WaitOnPermit(waiting WaitingPod) bool {
	c.Session.mu.Lock()
	c.waiting = waiting
	c.Session.mu.Unlock()
	return c.park(onPermit)
}

// decide allows or rejects a pod that waits on Permit, as the plugins that it waits for would.
func (s *Session) decide(decision wire.Decision) error {
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
		s.sched.Reject(waiting, plugins[0], ScriptedReason)
	default:
		return fmt.Errorf("a decision is allow or reject, not %q", decision.Decision)
	}
	s.settle()
	return nil
}

func (s *Session) waitingPod(name string) WaitingPod {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cycles {
		if c.parked == onPermit && c.Attempt.Pod == name {
			return c.waiting
		}
	}
	return nil
}

// holdTimers takes a waiting pod's timers off the real clock. Each is the framework's own, and
// when it is due here it is started again with no time left: so the rejection, and its words,
// are the framework's too (framework/runtime/waiting_pods_map.go, newWaitingPod).
func (c *Cycle) holdTimers(waiting WaitingPod) {
	s := c.Session
	plugins := waiting.GetPendingPlugins()
	slices.Sort(plugins)
	for _, plugin := range plugins {
		timer := permitTimers(waiting)[plugin]
		if c.Waits[plugin] <= 0 || !timer.Stop() {
			// It has no time, and fires by itself, or one that has none has stopped it.
			s.Poll("a Permit timer without time to fire", func() bool { return isDecided(waiting) })
			continue
		}
		patience := min(c.Waits[plugin], MaxPermit)
		s.addDeadline(deadline{cycle: c, due: s.clock.Now().Add(patience), expire: func() bool {
			if !slices.Contains(waiting.GetPendingPlugins(), plugin) || c.decided() {
				return false
			}
			timer.Reset(0)
			s.Poll("a Permit timer to fire", c.decided)
			return true
		}})
	}
}

// decided tells whether a pod that waits on Permit has its decision.
func (c *Cycle) decided() bool {
	c.Session.mu.Lock()
	defer c.Session.mu.Unlock()
	return c.parked != onPermit || isDecided(c.waiting)
}

// --- What the framework keeps of a waiting pod (framework/runtime/waiting_pods_map.go, waitingPod) ---

// permitTimers are the timers of the plugins that a waiting pod waits for. They run on the
// real clock; the recorder stops them, and starts them again when they are due on its own.
func permitTimers(pod WaitingPod) map[string]*time.Timer {
	return Exposed(Unexported(pod, "pendingPlugins")).(map[string]*time.Timer)
}

// isDecided tells whether the decision lies in the channel from which the binding cycle takes it.
func isDecided(pod WaitingPod) bool {
	return reflect.ValueOf(Exposed(Unexported(pod, "s"))).Len() > 0
}
