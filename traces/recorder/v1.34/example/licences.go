// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Name is the plugin's in a configuration.
const Name = "Licences"

// Licences lets no more pods run than it has licences for, and keeps the last one back. Unless it
// gives back, it breaks rollback, as a first version of many a plugin does.
type Licences struct {
	mu        sync.Mutex
	free      int
	givesBack bool
}

var (
	_ framework.ReservePlugin = &Licences{}
	_ framework.PermitPlugin  = &Licences{}
	_ framework.ScorePlugin   = &Licences{}
)

// Name names the plugin.
func (l *Licences) Name() string { return Name }

// Score prefers nodes whose names come late in the alphabet.
func (l *Licences) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	name := node.Node().Name
	return int64(name[len(name)-1]) % framework.MaxNodeScore, nil
}

// ScoreExtensions says that scores need not be normalized.
func (l *Licences) ScoreExtensions() framework.ScoreExtensions { return nil }

// Reserve takes a licence.
func (l *Licences) Reserve(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) *fwk.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == 0 {
		return fwk.NewStatus(fwk.Unschedulable, "no licence left")
	}
	l.free--
	state.Write(Name, taken{})
	return nil
}

// Permit rejects the pod that took the last one.
func (l *Licences) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free == 0 {
		return fwk.NewStatus(fwk.Unschedulable, "the last licence is kept"), 0
	}
	return nil, 0
}

// Unreserve is called when a later step failed, and also where Reserve was not called.
func (l *Licences) Unreserve(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := state.Read(Name); err == nil && l.givesBack {
		l.free++
	}
}

// taken says that the pod of this cycle has a licence.
type taken struct{}

func (t taken) Clone() fwk.StateData { return t }
