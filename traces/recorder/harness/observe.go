// SPDX-License-Identifier: Apache-2.0

package harness

import (
	v1 "k8s.io/api/core/v1"

	"refsched/recorder/wire"
)

// NodeRecord is what the cache counts on a node: milli-CPU and bytes.
func NodeRecord(pods []*v1.Pod, milliCPU, memory, ephemeralStorage int64, scalars map[v1.ResourceName]int64) wire.Node {
	node := wire.Node{Pods: PodNames(pods), MilliCPU: milliCPU, Memory: memory, EphemeralStorage: ephemeralStorage}
	for resource, amount := range scalars {
		if amount == 0 {
			continue
		}
		if node.Scalar == nil {
			node.Scalar = map[string]int64{}
		}
		node.Scalar[string(resource)] = amount
	}
	return node
}
