// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"refsched.dev/recorder/wire"
)

// observe reads the real queue and the real cache. A node that was deleted stays in the
// cache for the pods that it still has (backend/cache/cache.go, RemoveNode), and is shown.
func (s *session) observe() wire.Answer {
	queues := &wire.Queues{
		Active:        podNames(s.queue.PodsInActiveQ()),
		Backoff:       podNames(s.queue.PodsInBackoffQ()),
		Unschedulable: podNames(s.queue.UnschedulablePods()),
	}
	nodes := map[string]wire.Node{}
	for name, info := range s.sched.Cache.Dump().Nodes {
		pods := make([]*v1.Pod, 0, len(info.Pods))
		for _, pod := range info.Pods {
			pods = append(pods, pod.GetPod())
		}
		node := wire.Node{
			Pods:             podNames(pods),
			MilliCPU:         info.Requested.MilliCPU,
			Memory:           info.Requested.Memory,
			EphemeralStorage: info.Requested.EphemeralStorage,
		}
		for resource, amount := range info.Requested.ScalarResources {
			if amount == 0 {
				continue
			}
			if node.Scalar == nil {
				node.Scalar = map[string]int64{}
			}
			node.Scalar[string(resource)] = amount
		}
		nodes[name] = node
	}
	return wire.Answer{Records: []wire.Record{{Queues: queues}, {Nodes: &nodes}}}
}

func podNames(pods []*v1.Pod) []string {
	names := make([]string, 0, len(pods))
	for _, pod := range pods {
		names = append(names, podName(pod))
	}
	slices.Sort(names)
	return names
}
