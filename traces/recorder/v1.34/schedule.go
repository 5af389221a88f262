// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"fmt"
	"os"
	"runtime/debug"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"

	"refsched.dev/recorder/wire"
)

// schedule pops until a pod is attempted: one that is skipped leaves no record. It is
// idle where Pop would block.
func (s *session) schedule() (idle bool, err error) {
	for {
		s.mu.Lock()
		busy := s.scheduling != nil && !s.popped
		s.mu.Unlock()
		if busy {
			return false, wire.Unsupported{Why: "a scheduling cycle is held, and kube-scheduler runs one at a time"}
		}
		if s.wouldBlock() {
			return true, nil
		}
		c := s.scheduleOne()
		s.settle()
		if c.pod != nil || s.crashed() != "" {
			return false, nil
		}
	}
}

// wouldBlock is backend/queue/active_queue.go, unlockedPop.
func (s *session) wouldBlock() bool {
	if len(s.queue.PodsInActiveQ()) > 0 {
		return false
	}
	return !utilfeature.DefaultFeatureGate.Enabled(features.SchedulerPopFromBackoffQ) || lenBackoff(s.queue) == 0
}

// scheduleOne lets the real ScheduleOne pop and run on a goroutine of its own, where a
// plugin may hold it.
func (s *session) scheduleOne() *cycle {
	ctx, c := s.newCycle(s.ctx)
	s.mu.Lock()
	s.cycles = append(s.cycles, c)
	s.scheduling, s.popped = c, false
	s.mu.Unlock()
	go func() {
		defer func() {
			crash := recover()
			s.mu.Lock()
			if crash != nil {
				s.crash = fmt.Sprint(crash)
				os.Stderr.Write(debug.Stack())
			}
			if c.pod == nil {
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
