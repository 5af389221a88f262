// SPDX-License-Identifier: Apache-2.0

// Package recorder embeds kube-scheduler v1.34 and puts it behind the refsched protocol.
// What it reports is what the real framework returned, what the real cache and queue
// hold, and what reached the API. README.md says what surrounds the scheduler, what is
// waited for, and what cannot be seen.
package recorder

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"refsched.dev/recorder/wire"
)

// kubernetesVersion is used where the program does not know its own dependencies.
const kubernetesVersion = "v1.34.2"

// capabilities are the protocol's. All are claimed.
var capabilities = []string{
	"filter", "score", "preemption", "queue", "cache", "api",
	"scripted", "hold", "volumes", "devices", "extenders",
}

// Option configures Main and New.
type Option func(*Recorder)

// WithPlugin registers an out-of-tree plugin, as cmd/kube-scheduler's option of that name does.
// A configuration that enables it then has it.
func WithPlugin(name string, factory frameworkruntime.PluginFactory) Option {
	return func(r *Recorder) { r.plugins[name] = factory }
}

// WithEnabled enables plugins in every profile of every configuration that does not name
// them itself: a suite's configurations know nothing of a plugin under test.
func WithEnabled(plugins ...string) Option {
	return func(r *Recorder) { r.enabled = append(r.enabled, plugins...) }
}

// WithName names the scheduler in the answer to hello.
func WithName(name string) Option {
	return func(r *Recorder) { r.name = name }
}

// Main serves the protocol on stdin and stdout until stdin ends. The scheduler logs to
// stderr, as much as klog's flags say (-v=4 shows what its queue does).
func Main(options ...Option) {
	klog.InitFlags(nil)
	flag.Parse()
	recorder := New(options...)
	err := wire.Serve(os.Stdin, os.Stdout, recorder)
	recorder.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
}

// Recorder is the scheduler behind the protocol. There is one in a process: feature gates
// are global.
type Recorder struct {
	name    string
	plugins frameworkruntime.Registry
	enabled []string
	session *session
}

var _ wire.Scheduler = &Recorder{}

// New makes a recorder that waits for its first reset.
func New(options ...Option) *Recorder {
	// Metrics are registered once in a process, and those of a feature only where its gate is on
	// then. Preemption's are counted on (preemption.go), so this comes before any reset.
	metrics.Register()
	r := &Recorder{name: "kube-scheduler", plugins: frameworkruntime.Registry{}}
	for _, option := range options {
		option(r)
	}
	return r
}

// Close ends what runs.
func (r *Recorder) Close() {
	if r.session != nil {
		r.session.close()
		r.session = nil
	}
}

// Identity answers hello.
func (r *Recorder) Identity() wire.Identity {
	return wire.Identity{Name: r.name, Version: linkedVersion(), Kubernetes: "1.34", Capabilities: capabilities}
}

// linkedVersion is that of the Kubernetes module in this program.
func linkedVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "k8s.io/kubernetes" {
				return module.Version
			}
		}
	}
	return kubernetesVersion
}

// Reset starts a new scheduler with an empty cluster.
func (r *Recorder) Reset(reset wire.Reset) error {
	r.Close()
	start, err := readStart(reset.Start)
	if err != nil {
		return err
	}
	if err := setFeatureGates(reset.FeatureGates); err != nil {
		return err
	}
	config, err := readConfig(reset.Config)
	if err != nil {
		return err
	}
	enable(config, r.enabled)
	r.session, err = newSession(config, start, r.plugins)
	return err
}

// Create tells the API server of a new object.
func (r *Recorder) Create(data json.RawMessage) (wire.Answer, error) {
	return r.change(func(s *session) error {
		k, object, err := readObject(data)
		if err != nil {
			return err
		}
		if pod, ok := object.(*v1.Pod); ok {
			foldLabelKeys(pod)
		}
		return s.api.create(k, object)
	})
}

// Update replaces an object.
func (r *Recorder) Update(data json.RawMessage) (wire.Answer, error) {
	return r.change(func(s *session) error {
		k, object, err := readObject(data)
		if err != nil {
			return err
		}
		return s.api.update(k, object)
	})
}

// Delete removes an object at once.
func (r *Recorder) Delete(reference wire.Reference) (wire.Answer, error) {
	return r.change(func(s *session) error {
		k, known := kindOf(schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind))
		if !known {
			return wire.Unsupported{Why: fmt.Sprintf("the scheduler does not watch %s %s", reference.APIVersion, reference.Kind)}
		}
		key := types.NamespacedName{Namespace: reference.Namespace, Name: reference.Name}
		switch {
		case !k.namespaced:
			key.Namespace = ""
		case key.Namespace == "":
			key.Namespace = "default"
		}
		_, err := s.api.remove(k, key)
		return err
	})
}

// Advance moves the clock.
func (r *Recorder) Advance(seconds float64) (wire.Answer, error) {
	if seconds < 0 || math.IsNaN(seconds) || seconds > math.MaxInt64/float64(time.Second) {
		return wire.Answer{}, fmt.Errorf("the clock cannot be advanced by %v seconds", seconds)
	}
	return r.do(func(s *session) error {
		s.advance(time.Duration(math.Round(seconds * float64(time.Second))))
		return nil
	})
}

// Permit decides on a waiting pod.
func (r *Recorder) Permit(decision wire.Decision) (wire.Answer, error) {
	return r.do(func(s *session) error { return s.decide(decision) })
}

// Release lets a held pod go on.
func (r *Recorder) Release(pod string) (wire.Answer, error) {
	return r.do(func(s *session) error { return s.release(pod) })
}

// Schedule runs one scheduling cycle of the pod that Pop gives.
func (r *Recorder) Schedule(pod string) (wire.Answer, error) {
	if pod != "" {
		return wire.Answer{}, wire.Unsupported{Why: "kube-scheduler schedules the pod that its queue gives, not one that is named"}
	}
	idle := false
	answer, err := r.do(func(s *session) (err error) {
		idle, err = s.schedule()
		return err
	})
	answer.Idle = idle && len(answer.Records) == 0
	return answer, err
}

// Observe looks at the queue and the cache.
func (r *Recorder) Observe() (wire.Answer, error) {
	if r.session == nil {
		return wire.Answer{}, errNoSession
	}
	return r.session.observe(), nil
}

var errNoSession = fmt.Errorf("there is no cluster yet: reset comes first")

// change does something to the API and waits until the scheduler has seen it.
func (r *Recorder) change(what func(*session) error) (wire.Answer, error) {
	return r.do(func(s *session) error {
		if err := what(s); err != nil {
			return err
		}
		s.settle()
		return nil
	})
}

func (r *Recorder) do(what func(*session) error) (wire.Answer, error) {
	s := r.session
	if s == nil {
		return wire.Answer{}, errNoSession
	}
	if crash := s.crashed(); crash != "" {
		return wire.Answer{}, fmt.Errorf("the scheduler panicked: %s", crash)
	}
	if err := what(s); err != nil {
		return wire.Answer{}, err
	}
	if crash := s.crashed(); crash != "" {
		return wire.Answer{}, fmt.Errorf("the scheduler panicked: %s", crash)
	}
	return s.take(), nil
}
