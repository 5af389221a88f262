// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"errors"
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/core"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"refsched/recorder/harness"
	"refsched/recorder/wire"
)

// recordingFramework is a profile's framework that notes what the real one, which it
// embeds, returned. Preemption's dry runs use the embedded one, and are not noted.
type recordingFramework struct {
	framework.Framework
	instance *instance
}

// PreemptHandle is by what the filters are run, preemption or not (core/generic_scheduler.go,
// PodPassesFiltersOnNode).
func (f *recordingFramework) PreemptHandle() framework.PreemptHandle {
	return recordingHandle{f.Framework.PreemptHandle()}
}

type recordingHandle struct{ framework.PreemptHandle }

func (h recordingHandle) RunFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node *framework.NodeInfo) framework.PluginToStatus {
	statuses := h.PreemptHandle.RunFilterPlugins(ctx, state, pod, node)
	verdict := wire.Status{Code: framework.Success.String()}
	for plugin, status := range statuses { // one at the most: no configuration asks for all
		verdict = wire.Status{Code: status.Code().String(), Plugin: plugin, Reasons: status.Reasons()}
	}
	harness.CycleOf(ctx).Filtered(node.Node().Name, verdict)
	return statuses
}

func (f *recordingFramework) RunPreFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod) *framework.Status {
	status := f.Framework.RunPreFilterPlugins(ctx, state, pod)
	if refused := harness.CycleOf(ctx).Attempt.PreFilter; !status.IsSuccess() && refused != nil {
		refused.Code, refused.Reasons = status.Code().String(), status.Reasons()
	}
	return status
}

// preFilterSpy notes that its plugin refused the pod: the status that the framework returns does not say which did.
type preFilterSpy struct{ framework.PreFilterPlugin }

func (p *preFilterSpy) PreFilter(ctx context.Context, state *framework.CycleState, pod *v1.Pod) *framework.Status {
	status := p.PreFilterPlugin.PreFilter(ctx, state, pod)
	if !status.IsSuccess() {
		harness.CycleOf(ctx).Attempt.PreFilter = &wire.PreFilter{Plugin: p.Name()}
	}
	return status
}

func (f *recordingFramework) RunScorePlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, nodes []*v1.Node) (framework.PluginToNodeScores, *framework.Status) {
	f.instance.extended.clear()
	plugins, status := f.Framework.RunScorePlugins(ctx, state, pod, nodes)
	if status.IsSuccess() {
		harness.CycleOf(ctx).Scored = func(attempt *wire.Attempt) {
			attempt.Scores, attempt.Totals = map[string]map[string]int64{}, map[string]int64{}
			for n, node := range nodes {
				scores, total := map[string]int64{}, int64(0)
				for plugin, list := range plugins {
					scores[plugin] = list[n].Score
				}
				maps.Copy(scores, f.instance.extended.byNode[node.Name])
				for _, score := range scores {
					total += score
				}
				attempt.Scores[node.Name], attempt.Totals[node.Name] = scores, total
			}
		}
	}
	return plugins, status
}

func (f *recordingFramework) RunPostFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, nodes framework.NodeToStatusMap) (result *framework.PostFilterResult, status *framework.Status) {
	c := harness.CycleOf(ctx)
	before := f.nominationOf(pod)
	deleted := c.PostFilter(func() {
		result, status = f.Framework.RunPostFilterPlugins(ctx, state, pod, nodes)
	})
	c.Attempt.Victims = deleted
	if status.IsSuccess() && result != nil {
		c.Attempt.NominatedNode = &result.NominatedNodeName
	} else if after := f.nominationOf(pod); before != "" && after == "" {
		// Where evicting pods helps on no node, preemption itself clears the nomination.
		c.Attempt.NominatedNode = &after
	}
	return result, status
}

// nominationOf is the node that the stored pod is nominated to.
func (f *recordingFramework) nominationOf(pod *v1.Pod) string {
	stored, err := util.GetUpdatedPod(f.ClientSet(), pod)
	if err != nil {
		return ""
	}
	return stored.Status.NominatedNodeName
}

func (f *recordingFramework) RunPermitPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	status := f.Framework.RunPermitPlugins(ctx, state, pod, node)
	c := harness.CycleOf(ctx)
	switch {
	case status.IsUnschedulable():
		f.instance.refused[c] = true
	case status.Code() == framework.Wait:
		c.Permitted(f.GetWaitingPod(pod.UID))
	case status.IsSuccess():
		c.Permitted(nil)
	}
	return status
}

func (f *recordingFramework) WaitOnPermit(ctx context.Context, pod *v1.Pod) *framework.Status {
	c := harness.CycleOf(ctx)
	c.WatchBinding(ctx)
	if waiting := f.GetWaitingPod(pod.UID); waiting != nil && !c.WaitOnPermit(waiting) {
		return framework.NewStatus(framework.Error, harness.ErrSessionOver.Error())
	}
	status := f.Framework.WaitOnPermit(ctx, pod)
	if status.IsUnschedulable() {
		f.instance.refused[c] = true
	}
	return status
}

// recordingAlgorithm is the real one.
type recordingAlgorithm struct{ core.ScheduleAlgorithm }

func (a recordingAlgorithm) Schedule(ctx context.Context, profile *profile.Profile, state *framework.CycleState, pod *v1.Pod) (core.ScheduleResult, error) {
	c := harness.CycleOf(ctx)
	c.Begin(pod)
	result, err := a.ScheduleAlgorithm.Schedule(ctx, profile, state, pod)
	if err == nil {
		c.Selected(result.SuggestedHost, result.EvaluatedNodes, result.FeasibleNodes)
	}
	return result, err
}

// instrument puts the recorder between the scheduler and its parts.
func (i *instance) instrument() {
	for _, profile := range i.Profiles {
		i.guard(profile.Framework)
		instrumentPreFilter(profile.Framework)
		instrumentPermit(profile.Framework)
		i.instrumentVolumes(profile.Framework)
		profile.Framework = &recordingFramework{profile.Framework, i}
	}
	extenders := i.Algorithm.Extenders()
	for n, extender := range extenders {
		extenders[n] = &recordingExtender{extender, i}
	}
	i.Algorithm = recordingAlgorithm{i.Algorithm}
	handleError := i.Error
	i.Error = func(pod *framework.QueuedPodInfo, err error) {
		c := i.session.RunningCycle(pod.Pod.UID)
		handleError(pod, err)
		c.Failed(i.failureOf(c, err), c.Attempt.NominatedNode)
	}
}

// failureOf sorts a failure as scheduleOne does for its metrics. What Permit said is lost by then.
func (i *instance) failureOf(c *harness.Cycle, err error) harness.Failure {
	failure := harness.Failure{Result: wire.Failed, Message: err.Error()}
	var fit *core.FitError
	if errors.As(err, &fit) || err == core.ErrNoNodesAvailable || i.refused[c] {
		failure.Result = wire.Unschedulable
	}
	delete(i.refused, c)
	return failure
}

func instrumentPreFilter(profile framework.Framework) {
	plugins := preFilterPluginsOf(profile)
	for n, plugin := range plugins {
		plugins[n] = &preFilterSpy{plugin}
	}
}

// instrumentPermit learns how long each plugin asks to wait: the framework keeps that only
// in the timers that it starts.
func instrumentPermit(profile framework.Framework) {
	plugins := permitPluginsOf(profile)
	for n, plugin := range plugins {
		plugins[n] = &permitSpy{plugin}
	}
}

type permitSpy struct{ framework.PermitPlugin }

func (p *permitSpy) Permit(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) (*framework.Status, time.Duration) {
	status, patience := p.PermitPlugin.Permit(ctx, state, pod, node)
	if status.Code() == framework.Wait {
		harness.CycleOf(ctx).Waits[p.Name()] = patience
	}
	return status, patience
}
