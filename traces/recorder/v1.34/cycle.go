// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"refsched.dev/recorder/wire"
)

// cycle follows one pod from Pop to the end of its binding cycle. It travels in the
// context that ScheduleOne is called with, which the scheduling cycle, the binding
// cycle and every plugin are handed.
//
// Its members are guarded by the session's lock.
type cycle struct {
	session *session
	pod     *v1.Pod // as popped; nil until SchedulePod is called
	profile framework.Framework

	attempt wire.Attempt
	binding bool // the attempt is over, and went well
	ended   bool // the attempt failed, or the binding cycle is over

	// calls are those to scripted plugins that no record has listed yet.
	calls []string
	// nodeScores is the slice that the framework scores nodes in.
	nodeScores []framework.NodePluginScores
	// failure is set where the binding cycle reached the failure handler.
	failure *bindFailure

	// A cycle that is parked waits for something that the recorder decides on.
	parked parking
	wake   chan struct{}
	held   wire.Held                // where it is held
	signal chan *fwk.Status         // the decision of Permit
	waits  map[string]time.Duration // plugin → what it asked Permit to wait
	stale  bool                     // volumes have changed since they were last checked
}

type parking int

const (
	running parking = iota
	onPermit
	onVolumes
	onHold
)

// bindFailure is what a binding cycle told the failure handler.
type bindFailure struct {
	result  string
	message string
	plugins []string
}

type cycleKey struct{}

func (s *session) newCycle(ctx context.Context) (context.Context, *cycle) {
	c := &cycle{session: s, waits: map[string]time.Duration{}}
	return context.WithValue(ctx, cycleKey{}, c), c
}

func cycleOf(ctx context.Context) *cycle {
	c, ok := ctx.Value(cycleKey{}).(*cycle)
	if !ok {
		fault("the scheduler called back outside a cycle")
	}
	return c
}

func podName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

// called notes a call to a scripted plugin.
func (c *cycle) called(plugin, point string) {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.calls = append(c.calls, plugin+"."+point)
}

// takeCalls is the calls since it was last asked. The session is locked.
func (c *cycle) takeCalls() []string {
	calls := c.calls
	c.calls = nil
	return calls
}

// park blocks the cycle's goroutine until the session wakes it. It is false where the
// session ends instead.
func (c *cycle) park(why parking) bool {
	wake := make(chan struct{})
	c.session.mu.Lock()
	c.parked, c.wake = why, wake
	c.session.mu.Unlock()
	c.session.notify()
	select {
	case <-wake:
		return true
	case <-c.session.closing:
		return false
	}
}

// unpark lets a parked cycle go on. The session is locked.
func (c *cycle) unpark() {
	c.parked = running
	close(c.wake)
}

// attemptOver records the attempt, and after it what was done to the API in its PostFilter.
// For a cycle that goes on to bind it is called before the binding goroutine starts.
func (c *cycle) attemptOver() {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	c.attempt.Calls = c.takeCalls()
	s.records = append(s.records, wire.Record{Attempt: &c.attempt})
	s.records = append(s.records, s.deferred...)
	s.deferred = nil
	if c.attempt.Result == wire.Scheduled {
		c.binding = true
	} else {
		c.ended = true
	}
}

// watchBinding learns the end of the binding cycle: ScheduleOne cancels the context of the
// binding goroutine as the last thing in it (pkg/scheduler/schedule_one.go, ScheduleOne).
func (c *cycle) watchBinding(ctx context.Context) {
	context.AfterFunc(ctx, func() {
		c.session.mu.Lock()
		c.ended = true
		c.session.mu.Unlock()
		c.session.notify()
	})
}

// bindRecord is how the binding cycle ended. The session is locked.
func (c *cycle) bindRecord() wire.Record {
	bind := wire.Bind{Pod: c.attempt.Pod, Node: c.attempt.Node, Calls: c.takeCalls()}
	switch {
	case c.failure != nil:
		bind.Result = c.failure.result
		bind.Message = c.failure.message
		bind.UnschedulablePlugins = c.failure.plugins
	case c.session.api.wasBound(c.pod.UID):
		bind.Result = wire.Bound
	default:
		bind.Result = wire.Failed
		bind.Message = "recorder: the binding cycle ended well, but no binding of the pod reached the API"
	}
	return wire.Record{Bind: &bind}
}

// resultOf sorts a failure as the scheduler does (schedule_one.go, handleSchedulingFailure).
func resultOf(status *fwk.Status) (result string, plugins []string) {
	result = wire.Failed
	if status.IsRejected() {
		result = wire.Unschedulable
	}
	if fit, ok := status.AsError().(*framework.FitError); ok {
		plugins = sets.List(fit.Diagnosis.UnschedulablePlugins)
	}
	return result, plugins
}
