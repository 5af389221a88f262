// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"os"
	"slices"
	"time"

	"k8s.io/klog/v2"
)

// faultAfter is how long a condition may take to come. A fault of the recorder is not the
// scheduler's: the program ends, which a driver reports as the adapter's.
var faultAfter = 60 * time.Second

// Fault ends the program.
func Fault(format string, arguments ...any) {
	klog.Flush()
	fmt.Fprintf(os.Stderr, "recorder: fault: "+format+"\n", arguments...)
	os.Exit(3)
}

// waitUntil waits for a condition, which is asked under the session's lock each time that
// something has changed.
func (s *Session) waitUntil(what string, condition func() bool) {
	var late <-chan time.Time
	for {
		s.mu.Lock()
		met := condition()
		s.mu.Unlock()
		if met {
			return
		}
		if late == nil {
			late = time.After(faultAfter)
		}
		select {
		case <-s.changed:
		case <-late:
			Fault("waited %v in vain for %s", faultAfter, what)
			return
		}
	}
}

// Poll waits for a condition that nobody tells of.
func (s *Session) Poll(what string, condition func() bool) {
	for began, pause := time.Now(), 20*time.Microsecond; !condition(); time.Sleep(pause) {
		if time.Since(began) > faultAfter {
			Fault("waited %v in vain for %s", faultAfter, what)
			return
		}
		pause = min(2*pause, time.Millisecond)
	}
}

// settle lets the scheduler do all that it can do without time passing or the driver
// saying something. Its order is fixed, so that the same inputs give the same answers:
// first the events of the API, then what they freed, one cycle at a time.
func (s *Session) settle() {
	for {
		s.waitUntil("the scheduler's goroutines to end or to wait", s.quiet)
		if s.crashed() != "" {
			return
		}
		if s.sched.Settled != nil {
			s.Poll("the API calls to be dispatched", s.sched.Settled)
		}
		if s.deliverEvent() || s.recordBindings() || s.expire() || s.resume() || s.volumes.answer() {
			continue
		}
		return
	}
}

// quiet tells whether no goroutine of a cycle runs. The session is locked.
func (s *Session) quiet() bool {
	if s.crash != "" {
		return true
	}
	// A cycle that binds is parked in its binding goroutine: the one that popped the pod is about to return.
	if c := s.scheduling; c != nil && !s.popped && (c.parked == running || c.binding) {
		return false
	}
	for _, c := range s.cycles {
		if c.binding && !c.ended && c.parked == running {
			return false
		}
	}
	return true
}

// deliverEvent sends the oldest event to its watch, and waits until every handler of the
// scheduler has finished with it.
func (s *Session) deliverEvent() bool {
	event, pending := s.api.nextEvent()
	if !pending {
		return false
	}
	informer := s.sched.Informers.of(event.kind.gvr)
	if informer == nil {
		return true // nobody watches it
	}
	s.api.watching(event.kind.gvr).send(event.Event)
	s.waitUntil(fmt.Sprintf("the informers to handle the %s of a %s", event.Type, event.kind.gvk.Kind),
		func() bool { return informer.handled(event.version) })
	if event.kind.concernsPreBind() {
		s.mu.Lock()
		for _, c := range s.cycles {
			c.stale = true
		}
		s.mu.Unlock()
	}
	return true
}

// recordBindings records the binding cycles that are over. It comes after all events: a pod
// is bound when the scheduler has seen it assigned.
func (s *Session) recordBindings() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.cycles)
	s.cycles = slices.DeleteFunc(s.cycles, func(c *Cycle) bool {
		if c.binding && c.ended {
			s.recordLocked(c.bindRecord())
			s.forgetDeadlines(c)
		}
		return c.ended
	})
	return len(s.cycles) < before
}

// resume wakes the oldest cycle that waits for something that has come.
func (s *Session) resume() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cycles {
		decided := c.parked == onPermit && isDecided(c.waiting)
		changed := c.parked == onObjects && c.stale
		if decided || changed || c.parked == onEvents { // no event is left by now
			c.stale = false
			c.unpark()
			return true
		}
	}
	return false
}
