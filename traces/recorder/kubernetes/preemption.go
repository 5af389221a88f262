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
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// preempting is what one PostFilter does.
type preempting struct {
	mu sync.Mutex
	// begun: a plugin that preempts as DefaultPreemption does chose a node, and has somebody to preempt there.
	begun   bool
	victims []string
}

// RunPostFilterPlugins ends when the preemption that it began is over. The framework's own
// returns earlier, with a goroutine still deleting victims (framework/preemption/preemption.go,
// prepareCandidateAsync); how far that comes before the preemptor is back in the queue is a
// race, which here the deletions always win.
func (f *recordingFramework) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes minor.NodeToStatusReader) (result *minor.PostFilterResult, status *fwk.Status) {
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
	total := 0.0
	for _, result := range []string{metrics.GoroutineResultSuccess, metrics.GoroutineResultError} {
		counter := metrics.PreemptionGoroutinesExecutionTotal.WithLabelValues(result)
		var value dto.Metric
		if err := counter.(interface{ Write(*dto.Metric) error }).Write(&value); err != nil {
			harness.Fault("the count of preemptions cannot be read: %v", err)
		}
		total += value.GetCounter().GetValue()
	}
	return total
}

// instrumentPreemption learns which plugin preempts, and whom.
func (i *instance) instrumentPreemption(profile framework.Framework) {
	plugins := postFilterPluginsOf(profile)
	for n, plugin := range plugins {
		if field := preemptingField(plugin); field != nil {
			plugins[n] = &postFilterSpy{plugin, field, i}
			minor.WrapPreemptPod(field, func(victims []*v1.Pod) { i.preempting.preempts(victims) })
		}
	}
}

// postFilterSpy notes that its plugin began to preempt.
type postFilterSpy struct {
	minor.PostFilterPlugin
	field    *minor.Preempting
	instance *instance
}

func (p *postFilterSpy) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes minor.NodeToStatusReader) (*minor.PostFilterResult, *fwk.Status) {
	result, status := p.PostFilterPlugin.PostFilter(ctx, state, pod, nodes)
	if status.IsSuccess() && result != nil && result.Mode() == minor.ModeOverride && result.NominatedNodeName != "" {
		// Where each victim is terminating already, there is nothing to do.
		running := p.field.IsPodRunningPreemption(pod.UID)
		p.instance.preempting.begun = running || p.instance.preempting.preempted()
	}
	return result, status
}

// preempts notes the victims. It is called for each of them that is not terminating already.
func (p *preempting) preempts(victims []*v1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.victims == nil {
		p.victims = harness.PodNames(victims)
	}
}

func (p *preempting) preempted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.victims != nil
}
