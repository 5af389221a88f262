// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// extenderScores are what extenders add to the totals, by node and extender. The scheduler sums them
// up where nobody sees it (core/generic_scheduler.go, prioritizeNodes): all are asked at once.
type extenderScores struct {
	mu     sync.Mutex
	byNode map[string]map[string]int64
}

func (s *extenderScores) clear() { s.byNode = map[string]map[string]int64{} }

func (s *extenderScores) add(extender string, list extenderv1.HostPriorityList, weight int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, host := range list {
		if s.byNode[host.Host] == nil {
			s.byNode[host.Host] = map[string]int64{}
		}
		s.byNode[host.Host][extender] += host.Score * weight * (framework.MaxNodeScore / extenderv1.MaxExtenderPriority)
	}
}

// recordingExtender notes its scores, and writes to the API what it said that it bound.
type recordingExtender struct {
	framework.Extender
	instance *instance
}

func (e *recordingExtender) Prioritize(pod *v1.Pod, nodes []*v1.Node) (*extenderv1.HostPriorityList, int64, error) {
	list, weight, err := e.Extender.Prioritize(pod, nodes)
	if err == nil {
		e.instance.extended.add(e.Name(), *list, weight)
	}
	return list, weight, err
}

func (e *recordingExtender) Bind(binding *v1.Binding) error {
	if err := e.Extender.Bind(binding); err != nil {
		return err
	}
	return e.instance.session.BindFor(binding)
}
