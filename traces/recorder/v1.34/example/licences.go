// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"sync"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Name is the plugin's in a configuration.
const Name = "Licences"

// Licences lets no more pods run than it has licences for. It breaks rollback, as a first
// version of many a plugin does: what Reserve took is not given back.
type Licences struct {
	mu   sync.Mutex
	free int
}

var _ framework.ReservePlugin = &Licences{}

// Name names the plugin.
func (l *Licences) Name() string { return Name }

// Reserve takes a licence.
func (l *Licences) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == 0 {
		return fwk.NewStatus(fwk.Unschedulable, "no licence left")
	}
	l.free--
	return nil
}

// Unreserve is called when a later step failed, and should give the licence back. It forgets to.
func (l *Licences) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}
