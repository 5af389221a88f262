// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"slices"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const (
	// backoffFlush is backoffQOrderingWindowDuration (backend/queue/backoff_queue.go).
	backoffFlush = time.Second
	// leftoverFlush is the period of flushUnschedulablePodsLeftover (backend/queue/scheduling_queue.go, Run).
	leftoverFlush = 30 * time.Second
	// maxPermit is maxTimeout, the longest that Permit may wait (framework/runtime/framework.go).
	maxPermit = 15 * time.Minute
)

// timers are what would run on a clock of its own in kube-scheduler: they come due as the
// session's clock is advanced.
type timers struct {
	backoffDue  time.Time
	leftoverDue time.Time
	deadlines   []deadline
}

// deadline is one plugin's patience with a waiting pod, or VolumeBinding's with its claims.
type deadline struct {
	cycle *cycle
	due   time.Time
	// expire does what is due, and tells whether it changed anything.
	expire func() bool
}

// start sets the first ticks. The backoff queue's are aligned to whole seconds where pods
// may be popped from it (backoff_queue.go, waitUntilAlignedWithOrderingWindow); the flush
// of unschedulable pods ticks first when the queue is started, and finds none.
func (t *timers) start(now time.Time) {
	t.backoffDue = now.Add(backoffFlush)
	if utilfeature.DefaultFeatureGate.Enabled(features.SchedulerPopFromBackoffQ) {
		t.backoffDue = t.backoffDue.Truncate(backoffFlush)
	}
	t.leftoverDue = now.Add(leftoverFlush)
}

// advance moves the clock, stopping at each moment at which something is due. Of what is due
// at one moment, the queue's flushes come first, then deadlines, by their age.
func (s *session) advance(by time.Duration) {
	end := s.clock.Now().Add(by)
	for {
		next := s.timers.next()
		if next.After(end) {
			break
		}
		s.clock.SetTime(next)
		s.timers.flush(s, next)
		s.settle()
	}
	s.clock.SetTime(end)
	s.settle()
}

// next is the earliest moment at which something is due.
func (t *timers) next() time.Time {
	next := t.backoffDue
	if t.leftoverDue.Before(next) {
		next = t.leftoverDue
	}
	for _, d := range t.deadlines {
		if d.due.Before(next) {
			next = d.due
		}
	}
	return next
}

func (t *timers) flush(s *session, now time.Time) {
	logger := klog.FromContext(s.ctx)
	if !t.backoffDue.After(now) {
		flushBackoffQCompleted(s.queue, logger)
		t.backoffDue = t.backoffDue.Add(backoffFlush)
	}
	if !t.leftoverDue.After(now) {
		flushUnschedulablePodsLeftover(s.queue, logger)
		t.leftoverDue = t.leftoverDue.Add(leftoverFlush)
	}
}

// fire lets the oldest deadline that is due expire.
func (t *timers) fire(s *session) bool {
	now := s.clock.Now()
	for i, d := range t.deadlines {
		if !d.due.After(now) {
			t.deadlines = slices.Delete(t.deadlines, i, i+1)
			return d.expire() || t.fire(s)
		}
	}
	return false
}

func (t *timers) add(d deadline) { t.deadlines = append(t.deadlines, d) }

func (t *timers) forget(c *cycle) {
	t.deadlines = slices.DeleteFunc(t.deadlines, func(d deadline) bool { return d.cycle == c })
}

// holdTimers takes a waiting pod's timers off the real clock. Each is the framework's own, and
// when it is due here it is started again with no time left: so the rejection, and its words,
// are the framework's too (framework/runtime/waiting_pods_map.go, newWaitingPod).
func (s *session) holdTimers(c *cycle, waiting framework.WaitingPod) {
	plugins := waiting.GetPendingPlugins()
	slices.Sort(plugins)
	for _, plugin := range plugins {
		timer := permitTimers(waiting)[plugin]
		if !timer.Stop() {
			// It had no time to begin with, and fires by itself, or one that had none has stopped it.
			s.poll("a Permit timer without time to fire", func() bool { return len(permitSignal(waiting)) > 0 })
			continue
		}
		patience := min(c.waits[plugin], maxPermit)
		s.mu.Lock()
		s.timers.add(deadline{cycle: c, due: s.clock.Now().Add(patience), expire: func() bool {
			if !slices.Contains(waiting.GetPendingPlugins(), plugin) || c.decided() {
				return false
			}
			timer.Reset(0)
			s.poll("a Permit timer to fire", c.decided)
			return true
		}})
		s.mu.Unlock()
	}
}

// decided tells whether a pod that waits on Permit has its decision.
func (c *cycle) decided() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.parked != onPermit || len(c.signal) > 0
}
