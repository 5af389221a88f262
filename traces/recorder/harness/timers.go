// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"
	"time"
)

// deadline is one plugin's patience with a waiting pod, or VolumeBinding's with its claims.
type deadline struct {
	cycle *Cycle
	due   time.Time
	// expire does what is due, and tells whether it changed anything.
	expire func() bool
}

func (s *Session) addDeadline(d deadline) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadlines = append(s.deadlines, d)
}

// advance moves the clock, stopping at each moment at which something is due. Of what is due
// at one moment, the scheduler's timers come first, then deadlines, by their age.
func (s *Session) advance(by time.Duration) {
	end := s.clock.Now().Add(by)
	for {
		next := s.nextDue()
		if next.After(end) {
			break
		}
		s.clock.SetTime(next)
		for _, timer := range s.sched.Timers {
			if !timer.Due.After(next) {
				timer.Tick()
				timer.Due = timer.Due.Add(timer.Every)
			}
		}
		s.settle()
	}
	s.clock.SetTime(end)
	s.settle()
}

// nextDue is the earliest moment at which something is due.
func (s *Session) nextDue() time.Time {
	next := s.sched.Timers[0].Due
	for _, timer := range s.sched.Timers {
		if timer.Due.Before(next) {
			next = timer.Due
		}
	}
	for _, d := range s.deadlines {
		if d.due.Before(next) {
			next = d.due
		}
	}
	return next
}

// expire lets the oldest deadline that is due expire.
func (s *Session) expire() bool {
	now := s.clock.Now()
	for i, d := range s.deadlines {
		if !d.due.After(now) {
			s.deadlines = slices.Delete(s.deadlines, i, i+1)
			return d.expire() || s.expire()
		}
	}
	return false
}

func (s *Session) forgetDeadlines(c *Cycle) {
	s.deadlines = slices.DeleteFunc(s.deadlines, func(d deadline) bool { return d.cycle == c })
}
