// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"

	"refsched/recorder/wire"
)

// hold keeps a plugin's call from returning until the driver releases the pod.
func (s *Session) hold(c *Cycle, where wire.Held) {
	s.mu.Lock()
	c.held = where
	if s.held == nil {
		s.held = &where
	}
	s.mu.Unlock()
	c.park(onHold)
}

// release lets the oldest cycle go on in which the pod is held.
func (s *Session) release(pod string) error {
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
