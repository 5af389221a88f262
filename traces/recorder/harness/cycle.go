// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"refsched/recorder/wire"
)

// Cycle follows one pod from Pop to the end of its binding cycle. It travels in the
// context that ScheduleOne is called with, which the scheduling cycle, the binding
// cycle and every plugin are handed.
//
// Its members are guarded by the session's lock. Those that are exported belong to the
// goroutine of the scheduling cycle as long as that runs.
type Cycle struct {
	Session *Session
	Pod     *v1.Pod // as popped; nil until the scheduling algorithm is called
	Attempt wire.Attempt
	// Scored fills in the scores of the attempt, once a node is selected; nil where nothing was scored.
	Scored func(*wire.Attempt)
	// Waits is what each plugin asked Permit to wait.
	Waits map[string]time.Duration

	binding bool // the attempt is over, and went well
	ended   bool // the attempt failed, or the binding cycle is over

	// calls are those to scripted plugins that no record has listed yet.
	calls []string
	// failure is set where the binding cycle reached the failure handler.
	failure *Failure

	// A cycle that is parked waits for something that the recorder decides on.
	parked  parking
	wake    chan struct{}
	held    wire.Held  // where it is held
	waiting WaitingPod // on Permit
	stale   bool       // what it waits for may have come since it last looked
}

type parking int

const (
	running parking = iota
	onPermit
	onObjects
	onHold
	onEvents
)

// Failure is what the failure handler was given.
type Failure struct {
	Result  string
	Message string
	Plugins []string
}

type cycleKey struct{}

func (s *Session) newCycle(ctx context.Context) (context.Context, *Cycle) {
	c := &Cycle{Session: s, Waits: map[string]time.Duration{}}
	return context.WithValue(ctx, cycleKey{}, c), c
}

// CycleOf is the cycle that a context belongs to.
func CycleOf(ctx context.Context) *Cycle {
	c, ok := ctx.Value(cycleKey{}).(*Cycle)
	if !ok {
		Fault("the scheduler called back outside a cycle")
	}
	return c
}

// RunningCycle is the one of this pod whose goroutine runs, for what has no context. There is
// one at the most: the session lets one cycle run at a time.
func (s *Session) RunningCycle(pod types.UID) *Cycle {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cycles {
		if c.Pod != nil && c.Pod.UID == pod && !c.ended && c.parked == running {
			return c
		}
	}
	Fault("the scheduler called back outside a cycle")
	return nil
}

// PodName is how the protocol names a pod.
func PodName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

// PodNames are sorted.
func PodNames(pods []*v1.Pod) []string {
	names := make([]string, 0, len(pods))
	for _, pod := range pods {
		names = append(names, PodName(pod))
	}
	slices.Sort(names)
	return names
}

// Called notes a call to a scripted plugin.
func (c *Cycle) Called(plugin, point string) {
	c.Session.mu.Lock()
	defer c.Session.mu.Unlock()
	c.calls = append(c.calls, plugin+"."+point)
}

// takeCalls is the calls since it was last asked. The session is locked.
func (c *Cycle) takeCalls() []string {
	calls := c.calls
	c.calls = nil
	return calls
}

// park blocks the cycle's goroutine until the session wakes it. It is false where the
// session ends instead.
func (c *Cycle) park(why parking) bool {
	wake := make(chan struct{})
	c.Session.mu.Lock()
	c.parked, c.wake = why, wake
	c.Session.mu.Unlock()
	c.Session.notify()
	select {
	case <-wake:
		return true
	case <-c.Session.closing:
		c.Session.mu.Lock()
		c.parked = running
		c.Session.mu.Unlock()
		return false
	}
}

// ShowWrites parks the cycle until the scheduler has seen all that it has written so far. It is false where the
// session ends instead.
func (c *Cycle) ShowWrites() bool { return c.park(onEvents) }

// unpark lets a parked cycle go on. The session is locked.
func (c *Cycle) unpark() {
	c.parked = running
	close(c.wake)
}

// Begin notes the pod, as the scheduling algorithm is given it.
func (c *Cycle) Begin(pod *v1.Pod) { c.Pod, c.Attempt.Pod = pod, PodName(pod) }

// Filtered notes what the filters said of a node. It is called by many workers at once, and
// may be called twice for a node: what was said last stands.
func (c *Cycle) Filtered(node string, status wire.Status) {
	c.Session.mu.Lock()
	defer c.Session.mu.Unlock()
	if c.Attempt.Filter == nil {
		c.Attempt.Filter = map[string]wire.Status{}
	}
	c.Attempt.Filter[node] = status
}

// Selected notes what the scheduling algorithm returned.
func (c *Cycle) Selected(node string, evaluated, feasible int) {
	c.Attempt.Node, c.Attempt.Evaluated, c.Attempt.Feasible = node, evaluated, feasible
	if c.Scored != nil {
		c.Scored(&c.Attempt)
	}
}

// PostFilter runs a pod's PostFilter, and gives the pods that were deleted by it: what was
// written meanwhile is recorded after the attempt.
func (c *Cycle) PostFilter(run func()) (deleted []string) {
	s := c.Session
	s.mu.Lock()
	s.filtering = true
	s.mu.Unlock()
	run()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filtering, deleted, s.deleted = false, s.deleted, nil
	slices.Sort(deleted)
	return deleted
}

// Permitted notes that nothing refused the pod: it goes on to bind, or waits.
func (c *Cycle) Permitted(waiting WaitingPod) {
	if waiting != nil {
		c.Attempt.Waiting = true
		c.holdTimers(waiting)
	}
	c.Attempt.Result = wire.Scheduled
	c.attemptOver()
}

// attemptOver records the attempt, and after it what was done to the API in its PostFilter.
// For a cycle that goes on to bind it is called before the binding goroutine starts.
func (c *Cycle) attemptOver() {
	s := c.Session
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Attempt.Calls = c.takeCalls()
	s.records = append(s.records, wire.Record{Attempt: &c.Attempt})
	s.records = append(s.records, s.deferred...)
	s.deferred = nil
	if c.Attempt.Result == wire.Scheduled {
		c.binding = true
	} else {
		c.ended = true
	}
}

// Failed notes what the failure handler was given, in either cycle.
func (c *Cycle) Failed(failure Failure, nominated *string) {
	if c.binding {
		c.Session.mu.Lock()
		defer c.Session.mu.Unlock()
		c.failure = &failure
		return
	}
	c.Attempt.Result, c.Attempt.Message, c.Attempt.UnschedulablePlugins = failure.Result, failure.Message, failure.Plugins
	c.Attempt.NominatedNode = nominated
	c.attemptOver()
}

// WatchBinding learns the end of the binding cycle: ScheduleOne cancels the context of the
// binding goroutine as the last thing in it (pkg/scheduler/scheduler.go or schedule_one.go).
func (c *Cycle) WatchBinding(ctx context.Context) {
	context.AfterFunc(ctx, func() {
		c.Session.mu.Lock()
		c.ended = true
		c.Session.mu.Unlock()
		c.Session.notify()
	})
}

// bindRecord is how the binding cycle ended. The session is locked.
func (c *Cycle) bindRecord() wire.Record {
	bind := wire.Bind{Pod: c.Attempt.Pod, Node: c.Attempt.Node, Calls: c.takeCalls()}
	switch {
	case c.failure != nil:
		bind.Result = c.failure.Result
		bind.Message = c.failure.Message
		bind.UnschedulablePlugins = c.failure.Plugins
	case c.Session.api.wasBound(c.Pod.UID):
		bind.Result = wire.Bound
	default:
		bind.Result = wire.Failed
		bind.Message = "recorder: the binding cycle ended well, but no binding of the pod reached the API"
	}
	return wire.Record{Bind: &bind}
}
