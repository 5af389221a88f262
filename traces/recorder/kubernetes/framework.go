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

	"refsched/recorder/harness"
	"refsched/recorder/minor"
	"refsched/recorder/wire"
)

// recordingFramework is a profile's framework that notes what the real one, which it
// embeds, returned. Preemption's dry runs use the embedded one, and are not noted.
type recordingFramework struct {
	minor.Framework
	instance *instance
}

var _ framework.Framework = &recordingFramework{}

func (f *recordingFramework) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*minor.PreFilterResult, *fwk.Status, sets.Set[string]) {
	result, status, plugins := f.Framework.RunPreFilterPlugins(ctx, state, pod)
	attempt := &harness.CycleOf(ctx).Attempt
	switch {
	case !status.IsSuccess():
		attempt.PreFilter = &wire.PreFilter{Code: status.Code().String(), Plugin: status.Plugin(), Reasons: status.Reasons()}
	case !result.AllNodes():
		attempt.PreFilter = &wire.PreFilter{Code: fwk.Success.String(), Nodes: sets.List(result.NodeNames)}
	}
	return result, status, plugins
}

func (f *recordingFramework) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	defer f.instance.session.Guard()
	status := f.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
	harness.CycleOf(ctx).Filtered(node.Node().Name, statusOf(status))
	return status
}

// RunScorePlugins keeps the slice itself: extenders' scores are added to it later
// (pkg/scheduler/schedule_one.go, prioritizeNodes), and it is read when a node is selected.
func (f *recordingFramework) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]minor.NodePluginScores, *fwk.Status) {
	scores, status := f.Framework.RunScorePlugins(ctx, state, pod, nodes)
	if len(scores) > 0 {
		harness.CycleOf(ctx).Scored = func(attempt *wire.Attempt) { recordScores(attempt, scores) }
	}
	return scores, status
}

func (f *recordingFramework) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := f.Framework.RunPreBindPreFlights(ctx, state, pod, node)
	if status.Code() == fwk.Error || status.IsRejected() {
		// The one end of a binding cycle that does not come by WaitOnPermit.
		harness.CycleOf(ctx).WatchBinding(ctx)
	}
	return status
}

func (f *recordingFramework) WaitOnPermit(ctx context.Context, pod *v1.Pod) *fwk.Status {
	c := harness.CycleOf(ctx)
	c.WatchBinding(ctx)
	if minor.NominatesForExpectation && !c.ShowWrites() {
		return fwk.AsStatus(harness.ErrSessionOver)
	}
	if waiting := f.GetWaitingPod(pod.UID); waiting != nil && !c.WaitOnPermit(waiting) {
		return fwk.AsStatus(harness.ErrSessionOver)
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

func recordScores(attempt *wire.Attempt, nodes []minor.NodePluginScores) {
	attempt.Scores = map[string]map[string]int64{}
	attempt.Totals = map[string]int64{}
	for _, node := range nodes {
		scores := map[string]int64{}
		for _, score := range node.Scores {
			scores[score.Name] += score.Score
		}
		attempt.Scores[node.Name] = scores
		attempt.Totals[node.Name] = node.TotalScore
	}
}

// instrument puts the recorder between the scheduler and its parts.
func (i *instance) instrument() {
	for name, profile := range i.Profiles {
		instrumentPermit(profile)
		i.instrumentPreemption(profile)
		instrumentVolumes(profile)
		i.guardScores(profile)
		i.instrumentDevices(profile)
		i.Profiles[name] = &recordingFramework{minor.Framework{Framework: profile}, i}
	}
	for n, extender := range i.Extenders {
		i.Extenders[n] = &bindingExtender{extender, i.session}
	}

	minor.WrapSchedulePod(i.Scheduler, func(ctx context.Context, profile framework.Framework, pod *v1.Pod, run func() (scheduler.ScheduleResult, error)) (scheduler.ScheduleResult, error) {
		c := harness.CycleOf(ctx)
		c.Begin(pod)
		i.batches.age(profile)
		result, err := run()
		i.batches.note(profile)
		c.Selected(result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes)
		return result, err
	})

	handleFailure := i.FailureHandler
	i.FailureHandler = func(ctx context.Context, profile framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, nomination *minor.NominatingInfo, start time.Time) {
		handleFailure(ctx, profile, pod, status, nomination, start)
		var nominated *string
		if nomination.Mode() == minor.ModeOverride {
			nominated = &nomination.NominatedNodeName
		}
		harness.CycleOf(ctx).Failed(failureOf(status), nominated)
	}
}

// failureOf sorts a failure as the scheduler does (schedule_one.go, handleSchedulingFailure).
func failureOf(status *fwk.Status) harness.Failure {
	failure := harness.Failure{Result: wire.Failed, Message: status.Message()}
	if status.IsRejected() {
		failure.Result = wire.Unschedulable
	}
	if fit, ok := status.AsError().(*framework.FitError); ok {
		failure.Plugins = sets.List(fit.Diagnosis.UnschedulablePlugins)
	}
	return failure
}

// instrumentPermit learns how long each plugin asks to wait: the framework keeps that only
// in the timers that it starts.
func instrumentPermit(profile framework.Framework) {
	plugins := permitPluginsOf(profile)
	for i, plugin := range plugins {
		plugins[i] = &permitSpy{plugin}
	}
}

type permitSpy struct{ minor.PermitPlugin }

func (p *permitSpy) Permit(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	status, patience := p.PermitPlugin.Permit(ctx, state, pod, node)
	if status.IsWait() {
		harness.CycleOf(ctx).Waits[p.Name()] = patience
	}
	return status, patience
}

// bindingExtender writes to the API what its extender said that it bound.
type bindingExtender struct {
	minor.Extender
	session *harness.Session
}

func (e *bindingExtender) Bind(binding *v1.Binding) error {
	if err := e.Extender.Bind(binding); err != nil {
		return err
	}
	return e.session.BindFor(binding)
}
