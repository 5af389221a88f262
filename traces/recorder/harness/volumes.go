// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"time"
)

// WaitForObjects takes a plugin's wait in PreBind off the real clock, on which VolumeBinding would look every
// second, and DynamicResources every five, whether its claims are ready. It looks whenever a volume, a claim, a node
// or the pod has changed, and gives up by the session's clock, with context.DeadlineExceeded, or where the pod
// is preempted meanwhile, with the error of its context. It looks every so often beside that, where that is not 0.
func (c *Cycle) WaitForObjects(ctx context.Context, every, patience time.Duration, ready func() (bool, error)) error {
	s := c.Session
	expired := false
	if every > 0 {
		c.lookEvery(every, s.clock.Now().Add(patience))
	}
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

// lookEvery lets the cycle look so often until then.
func (c *Cycle) lookEvery(period time.Duration, until time.Time) {
	due := c.Session.clock.Now().Add(period)
	if !due.Before(until) {
		return
	}
	c.Session.addDeadline(deadline{cycle: c, due: due, expire: func() bool {
		c.lookEvery(period, until)
		c.Session.mu.Lock()
		defer c.Session.mu.Unlock()
		c.stale = true
		return c.parked == onObjects
	}})
}

// touch lets a parked cycle look again.
func (c *Cycle) touch() {
	c.Session.mu.Lock()
	c.stale = true
	c.Session.mu.Unlock()
	c.Session.notify()
}
