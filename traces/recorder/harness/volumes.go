// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"time"
)

// WaitForObjects takes a plugin's wait in PreBind off the real clock, on which VolumeBinding would look every
// second, and DynamicResources every five, whether its claims are ready. It looks whenever a volume, a claim, a node
// or the pod has changed, and gives up by the session's clock, with context.DeadlineExceeded, or where the pod
// is preempted meanwhile, with the error of its context.
func (c *Cycle) WaitForObjects(ctx context.Context, patience time.Duration, ready func() (bool, error)) error {
	s := c.Session
	expired := false
	s.addDeadline(deadline{
		cycle: c,
		due:   s.clock.Now().Add(patience),
		expire: func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			expired, c.stale = true, true
			return c.parked == onObjects
		},
	})
	for {
		stop := context.AfterFunc(ctx, c.touch)
		going := c.park(onObjects)
		stop()
		if !going {
			return ErrSessionOver
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if done, err := ready(); done || err != nil {
			return err
		}
		if expired {
			return context.DeadlineExceeded
		}
	}
}

// touch lets a parked cycle look again.
func (c *Cycle) touch() {
	c.Session.mu.Lock()
	c.stale = true
	c.Session.mu.Unlock()
	c.Session.notify()
}
