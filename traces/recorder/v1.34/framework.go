// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"refsched.dev/recorder/wire"
)

// recordingFramework is a profile's framework that notes what the real one, which it
// embeds, returned. Preemption's dry runs use the embedded one, and are not noted.
type recordingFramework struct {
	framework.Framework
}

func (f *recordingFramework) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*framework.PreFilterResult, *fwk.Status, sets.Set[string]) {
	result, status, plugins := f.Framework.RunPreFilterPlugins(ctx, state, pod)
	c := cycleOf(ctx)
	switch {
	case !status.IsSuccess():
		c.attempt.PreFilter = &wire.PreFilter{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: status.Reasons()}
	case !result.AllNodes():
		c.attempt.PreFilter = &wire.PreFilter{Code: fwk.Success.String(), Nodes: sets.List(result.NodeNames)}
	}
	return result, status, plugins
}

// RunFilterPluginsWithNominatedPods is called by many workers at once, and twice for a
// nominated node that does not fit: what was said last stands.
func (f *recordingFramework) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	status := f.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
	c := cycleOf(ctx)
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if c.attempt.Filter == nil {
		c.attempt.Filter = map[string]wire.Status{}
	}
	c.attempt.Filter[node.Node().Name] = statusOf(status)
	return status
}

func (f *recordingFramework) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]framework.NodePluginScores, *fwk.Status) {
	scores, status := f.Framework.RunScorePlugins(ctx, state, pod, nodes)
	cycleOf(ctx).scored(scores)
	return scores, status
}

func (f *recordingFramework) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := f.Framework.RunPermitPlugins(ctx, state, pod, node)
	c := cycleOf(ctx)
	if status.IsWait() {
		c.attempt.Waiting = true
		c.session.holdTimers(c, f.GetWaitingPod(pod.UID))
	}
	if status.IsWait() || status.IsSuccess() {
		c.attempt.Result = wire.Scheduled
		c.attemptOver()
	}
	return status
}

func (f *recordingFramework) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := f.Framework.RunPreBindPreFlights(ctx, state, pod, node)
	if status.Code() == fwk.Error || status.IsRejected() {
		// The one end of a binding cycle that does not come by WaitOnPermit.
		cycleOf(ctx).watchBinding(ctx)
	}
	return status
}

// WaitOnPermit parks the cycle until the session has seen the decision, and leaves taking
// it to the real one: so there is no moment in which a decided pod seems to wait.
func (f *recordingFramework) WaitOnPermit(ctx context.Context, pod *v1.Pod) *fwk.Status {
	c := cycleOf(ctx)
	c.watchBinding(ctx)
	if waiting := f.GetWaitingPod(pod.UID); waiting != nil {
		c.session.mu.Lock()
		c.signal = permitSignal(waiting)
		c.session.mu.Unlock()
		if !c.park(onPermit) {
			return fwk.AsStatus(errSessionOver)
		}
	}
	return f.Framework.WaitOnPermit(ctx, pod)
}

// statusOf reads a status. Success is nil, more often than not.
func statusOf(status *fwk.Status) wire.Status {
	if status == nil {
		return wire.Status{Code: fwk.Success.String()}
	}
	return wire.Status{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: status.Reasons()}
}

// scored keeps the slice itself: extenders' scores are added to it later
// (pkg/scheduler/schedule_one.go, prioritizeNodes), and SchedulePod reads it at the end.
func (c *cycle) scored(scores []framework.NodePluginScores) { c.nodeScores = scores }

// instrument puts the recorder between the scheduler and its parts.
func (s *session) instrument(sched *scheduler.Scheduler) {
	for name, profile := range sched.Profiles {
		s.instrumentPermit(profile)
		s.instrumentPreemption(profile)
		s.instrumentVolumes(profile)
		sched.Profiles[name] = &recordingFramework{Framework: profile}
	}
	for i, extender := range sched.Extenders {
		sched.Extenders[i] = &bindingExtender{Extender: extender, api: s.api}
	}

	schedulePod := sched.SchedulePod
	sched.SchedulePod = func(ctx context.Context, profile framework.Framework, state fwk.CycleState, pod *v1.Pod) (scheduler.ScheduleResult, error) {
		c := cycleOf(ctx)
		c.pod, c.profile, c.attempt.Pod = pod, profile, podName(pod)
		result, err := schedulePod(ctx, profile, state, pod)
		c.selected(result)
		return result, err
	}

	handleFailure := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, profile framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, nomination *framework.NominatingInfo, start time.Time) {
		handleFailure(ctx, profile, pod, status, nomination, start)
		cycleOf(ctx).failed(status, nomination)
	}
}

func (c *cycle) selected(result scheduler.ScheduleResult) {
	c.attempt.Node = result.SuggestedHost
	c.attempt.Evaluated = result.EvaluatedNodes
	c.attempt.Feasible = result.FeasibleNodes
	if len(c.nodeScores) == 0 {
		return
	}
	c.attempt.Scores = map[string]map[string]int64{}
	c.attempt.Totals = map[string]int64{}
	for _, node := range c.nodeScores {
		scores := map[string]int64{}
		for _, score := range node.Scores {
			scores[score.Name] += score.Score
		}
		c.attempt.Scores[node.Name] = scores
		c.attempt.Totals[node.Name] = node.TotalScore
	}
}

// failed notes what the failure handler was given, in either cycle.
func (c *cycle) failed(status *fwk.Status, nomination *framework.NominatingInfo) {
	result, plugins := resultOf(status)
	if c.binding {
		c.session.mu.Lock()
		defer c.session.mu.Unlock()
		c.failure = &bindFailure{result: result, message: status.Message(), plugins: plugins}
		return
	}
	c.attempt.Result, c.attempt.Message, c.attempt.UnschedulablePlugins = result, status.Message(), plugins
	if nomination.Mode() == framework.ModeOverride {
		c.attempt.NominatedNode = &nomination.NominatedNodeName
	}
	c.attemptOver()
}
