// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"sync"

	dto "github.com/prometheus/client_model/go"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"refsched/recorder/harness"
)

// preempting is what one PostFilter does.
type preempting struct {
	mu sync.Mutex
	// begun: a plugin that preempts through an Evaluator chose a node.
	begun   bool
	victims []string
}

// RunPostFilterPlugins ends when the preemption that it began is over. The framework's own
// returns earlier, with a goroutine still deleting victims (framework/preemption/preemption.go,
// prepareCandidateAsync); how far that comes before the preemptor is back in the queue is a
// race, which here the deletions always win.
func (f *recordingFramework) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes framework.NodeToStatusReader) (result *framework.PostFilterResult, status *fwk.Status) {
	c := harness.CycleOf(ctx)
	p := &preempting{}
	f.instance.preempting = p
	c.PostFilter(func() {
		before := preemptionsOver()
		result, status = f.Framework.RunPostFilterPlugins(ctx, state, pod, nodes)
		if p.begun && utilfeature.DefaultFeatureGate.Enabled(features.SchedulerAsyncPreemption) {
			c.Session.Poll("a preemption to be over", func() bool { return preemptionsOver() > before })
		}
	})
	c.Attempt.Victims = p.victims
	return result, status
}

// preemptionsOver counts the goroutines of asynchronous preemption that have ended. Each
// counts itself when all else is done, whatever became of its victims.
func preemptionsOver() float64 {
	counter := metrics.PreemptionGoroutinesExecutionTotal.WithLabelValues(metrics.GoroutineResultSuccess)
	var value dto.Metric
	if err := counter.(interface{ Write(*dto.Metric) error }).Write(&value); err != nil {
		harness.Fault("the count of preemptions cannot be read: %v", err)
	}
	return value.GetCounter().GetValue()
}

// instrumentPreemption learns which plugin preempts, and whom.
func (i *instance) instrumentPreemption(profile framework.Framework) {
	plugins := postFilterPluginsOf(profile)
	for n, plugin := range plugins {
		evaluator := evaluatorOf(plugin)
		if evaluator == nil {
			continue
		}
		plugins[n] = &postFilterSpy{plugin, i}
		preemptPod := evaluator.PreemptPod
		evaluator.PreemptPod = func(ctx context.Context, candidate preemption.Candidate, preemptor, victim *v1.Pod, name string) error {
			i.preempting.preempts(candidate.Victims().Pods)
			return preemptPod(ctx, candidate, preemptor, victim, name)
		}
	}
}

// postFilterSpy notes that its plugin chose a node, and so began to preempt.
type postFilterSpy struct {
	framework.PostFilterPlugin
	instance *instance
}

func (p *postFilterSpy) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes framework.NodeToStatusReader) (*framework.PostFilterResult, *fwk.Status) {
	result, status := p.PostFilterPlugin.PostFilter(ctx, state, pod, nodes)
	if status.IsSuccess() && result != nil && result.Mode() == framework.ModeOverride && result.NominatedNodeName != "" {
		p.instance.preempting.begun = true
	}
	return result, status
}

// preempts notes the victims. It is called for each of them.
func (p *preempting) preempts(victims []*v1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.victims == nil {
		p.victims = harness.PodNames(victims)
	}
}
