// SPDX-License-Identifier: Apache-2.0

// Package harness is what stands around an embedded kube-scheduler, whatever its minor version:
// an API server, a volume controller, a clock, scripts for plugins, and the loop that lets the
// scheduler do what it can and then looks. README.md says what of it is real.
//
// It is compiled with the Kubernetes libraries of the version that uses it, and itself requires
// the oldest.
package harness

import (
	"context"
	"encoding/json"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"refsched/recorder/wire"
)

// Version is one minor version of Kubernetes.
type Version struct {
	// Kubernetes is such as 1.34, and Tag what is said where the program does not know its own
	// dependencies.
	Kubernetes, Tag string
	// Capabilities are the protocol's.
	Capabilities []string
	// Plugins are all that it has, where some are not Kubernetes' own.
	Plugins []string
	// Codes are the names of what a plugin may answer.
	Codes []string
	// Kinds are what the scheduler and its plugins list and watch, and what drivers may send besides.
	Kinds []Kind
	// Decoder reads an object, and Default fills in what the API server would.
	Decoder runtime.Decoder
	Default func(runtime.Object)
	// Created does to a pod what only its creation does; nil where that is nothing.
	Created func(*v1.Pod)
	// Keeps puts back what the API server keeps of the old object where the scheduler updates it, or a subresource of
	// it, at this time; nil where that is nothing.
	Keeps func(object, old runtime.Object, subresource string, now time.Time)
	// MayBeBound says why a pod may not, beside what every version asks; nil where that is nothing.
	MayBeBound func(*v1.Pod) error
	// TerminatesLate is set where the event of a deletion by the scheduler comes after those of its
	// other writes, as that of a pod does which takes time to terminate.
	TerminatesLate bool
	// Clock makes one that stands still.
	Clock func(time.Time) Clock
	// SetFeatureGates gives the gates their defaults, and then sets those asked for.
	SetFeatureGates func(map[string]bool) error
	// Start makes a scheduler and starts its informers.
	Start func(*Session, json.RawMessage) (*Scheduler, error)
}

// Scheduler is one that runs.
type Scheduler struct {
	// WouldBlock tells whether Pop would.
	WouldBlock func() bool
	// ScheduleOne pops a pod and runs its scheduling cycle, with a context that it hands to all
	// that belongs to that pod.
	ScheduleOne func(context.Context)
	// Observe reads the queue and the cache.
	Observe func() (*wire.Queues, map[string]wire.Node)
	// Timers are what runs by a ticker in kube-scheduler. Of those that are due at one moment the
	// first comes first.
	Timers []*Timer
	// Informers are those that it has asked for.
	Informers *Informers
	// Reject rejects a pod that waits on Permit, in the name of a plugin.
	Reject func(pod WaitingPod, plugin, message string)
	// Close ends all that was started, but not the cycles.
	Close func()
	// Settled tells whether nothing runs besides cycles; nil where nothing ever does.
	Settled func() bool
}

// Timer does something in equal intervals.
type Timer struct {
	Every time.Duration
	Due   time.Time // the first time
	Tick  func()
}

// WaitingPod is one that waits on Permit.
type WaitingPod interface {
	GetPendingPlugins() []string
	Allow(plugin string)
}
