// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// preempting is what one PostFilter does.
type preempting struct {
	// expected: a plugin that preempts through an Evaluator chose a node.
	expected bool
	victims  []string
	over     chan struct{}
	once     sync.Once
}

// RunPostFilterPlugins ends when the preemption that it began is over. The framework's own
// returns earlier, with a goroutine still deleting victims (framework/preemption/preemption.go,
// prepareCandidateAsync); how far that comes before the preemptor is back in the queue is a
// race, which here the deletions always win.
func (f *recordingFramework) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes framework.NodeToStatusReader) (*framework.PostFilterResult, *fwk.Status) {
	c := cycleOf(ctx)
	s := c.session
	p := &preempting{over: make(chan struct{})}
	s.mu.Lock()
	s.preempting = p
	s.mu.Unlock()

	result, status := f.Framework.RunPostFilterPlugins(ctx, state, pod, nodes)
	if p.expected {
		select {
		case <-p.over:
		case <-time.After(faultAfter):
			fault("waited %v in vain for a preemption to be over", faultAfter)
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(p.victims)
	c.attempt.Victims = p.victims
	s.preempting = nil
	return result, status
}

// instrumentPreemption learns which plugin preempts, whom, and when it has done so.
func (s *session) instrumentPreemption(profile framework.Framework) {
	plugins := postFilterPluginsOf(profile)
	for i, plugin := range plugins {
		evaluator := evaluatorOf(plugin)
		if evaluator == nil {
			continue
		}
		plugins[i] = &postFilterSpy{plugin, s}
		preemptPod := evaluator.PreemptPod
		evaluator.PreemptPod = func(ctx context.Context, candidate preemption.Candidate, preemptor, victim *v1.Pod, name string) error {
			err := preemptPod(ctx, candidate, preemptor, victim, name)
			s.preempted(candidate.Victims().Pods, victim)
			return err
		}
	}
}

// postFilterSpy notes that its plugin chose a node, and so has victims to see to: there is no
// candidate without one (framework/preemption/preemption.go, DryRunPreemption and callExtenders).
type postFilterSpy struct {
	framework.PostFilterPlugin
	session *session
}

func (p *postFilterSpy) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes framework.NodeToStatusReader) (*framework.PostFilterResult, *fwk.Status) {
	result, status := p.PostFilterPlugin.PostFilter(ctx, state, pod, nodes)
	if status.IsSuccess() && result != nil && result.Mode() == framework.ModeOverride && result.NominatedNodeName != "" {
		p.session.mu.Lock()
		defer p.session.mu.Unlock()
		p.session.preempting.expected = true
	}
	return result, status
}

// preempted notes one victim dealt with. The last of the list is dealt with last, whatever
// became of the others.
func (s *session) preempted(victims []*v1.Pod, victim *v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.preempting
	if p == nil {
		return
	}
	p.victims = nil
	for _, v := range victims {
		p.victims = append(p.victims, podName(v))
	}
	if victim.UID == victims[len(victims)-1].UID {
		p.once.Do(func() { close(p.over) })
	}
}
