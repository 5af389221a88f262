// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"

	"refsched/recorder/wire"
)

// schedule pops until a pod is attempted: one that is skipped leaves no record. It is
// idle where Pop would block.
func (s *Session) schedule() (idle bool, err error) {
	for {
		s.mu.Lock()
		busy := s.scheduling != nil && !s.popped
		s.mu.Unlock()
		if busy {
			return false, wire.Unsupported{Why: "a scheduling cycle is held, and kube-scheduler runs one at a time"}
		}
		if s.sched.WouldBlock() {
			return true, nil
		}
		c := s.scheduleOne()
		s.settle()
		if c.Pod != nil || s.crashed() != "" {
			return false, nil
		}
	}
}

// scheduleOne lets the real ScheduleOne pop and run on a goroutine of its own, where a
// plugin may hold it.
func (s *Session) scheduleOne() *Cycle {
	ctx, c := s.newCycle(s.ctx)
	s.mu.Lock()
	s.cycles = append(s.cycles, c)
	s.scheduling, s.popped = c, false
	s.mu.Unlock()
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				s.panicked(crash)
			}
			s.mu.Lock()
			if c.Pod == nil {
				c.ended = true // popped and skipped
			}
			s.popped = true
			s.mu.Unlock()
			s.notify()
		}()
		s.sched.ScheduleOne(ctx)
	}()
	return c
}

// --- Panics ---------------------------------------------------------------------------------------

// current is the session that a panic of a worker belongs to.
var current atomic.Pointer[Session]

// Panicked notes a panic that the library has caught, in one of its own goroutines. It would end
// kube-scheduler; here it is the answer to each request until the next reset.
func Panicked(crash any) {
	if _, known := crash.(noted); !known {
		current.Load().panicked(crash)
	}
}

// noted is a panic that goes on after its session has noted it.
type noted struct{ crash any }

// Guard notes a panic of the function that defers it, and lets it go on. Where a worker panics, the
// library may catch that only when the search that it belongs to has gone on without it.
func (s *Session) Guard() {
	if crash := recover(); crash != nil {
		s.panicked(crash)
		panic(noted{crash})
	}
}

func (s *Session) panicked(crash any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crash == "" {
		s.crash = fmt.Sprint(crash)
		os.Stderr.Write(debug.Stack())
	}
	s.notify()
}

func (s *Session) crashed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crash
}
