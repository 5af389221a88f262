// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"time"
)

// WaitForVolumes takes VolumeBinding's wait off the real clock, on which it would look every
// second whether its claims are bound. It looks whenever a volume, a claim, a node or the pod
// has changed, and gives up by the session's clock: with context.DeadlineExceeded.
func (c *Cycle) WaitForVolumes(patience time.Duration, bound func() (bool, error)) error {
	s := c.Session
	expired := false
	s.addDeadline(deadline{
		cycle: c,
		due:   s.clock.Now().Add(patience),
		expire: func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			expired, c.stale = true, true
			return c.parked == onVolumes
		},
	})
	for {
		if !c.park(onVolumes) {
			return ErrSessionOver
		}
		if done, err := bound(); done || err != nil {
			return err
		}
		if expired {
			return context.DeadlineExceeded
		}
	}
}
