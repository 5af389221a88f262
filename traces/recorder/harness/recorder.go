// SPDX-License-Identifier: Apache-2.0

package harness

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

	"refsched/recorder/wire"
)

// Recorder is the scheduler behind the protocol. There is one in a process: feature gates
// are global.
type Recorder struct {
	name    string
	version *Version
	session *Session
}

var _ wire.Scheduler = &Recorder{}

// New makes a recorder that waits for its first reset. It answers hello with the name.
func New(name string, version *Version) *Recorder {
	return &Recorder{name: name, version: version}
}

// Main serves the protocol on stdin and stdout until stdin ends. The scheduler logs to
// stderr, as much as klog's flags say (-v=4 shows what its queue does).
func Main(recorder *Recorder) {
	klog.InitFlags(nil)
	flag.Parse()
	err := wire.Serve(os.Stdin, os.Stdout, recorder)
	recorder.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
}

// Close ends what runs.
func (r *Recorder) Close() {
	if r.session != nil {
		r.session.close()
		r.session = nil
	}
}

// Session is what runs since the last reset, or nil.
func (r *Recorder) Session() *Session { return r.session }

// Identity answers hello.
func (r *Recorder) Identity() wire.Identity {
	return wire.Identity{
		Name: r.name, Version: linkedVersion(r.version.Tag), Kubernetes: r.version.Kubernetes, Capabilities: r.version.Capabilities,
		Plugins: r.version.Plugins,
	}
}

// linkedVersion is that of the Kubernetes module in this program.
func linkedVersion(otherwise string) string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "k8s.io/kubernetes" {
				return module.Version
			}
		}
	}
	return otherwise
}

// Reset starts a new scheduler with an empty cluster.
func (r *Recorder) Reset(reset wire.Reset) error {
	r.Close()
	start, err := readStart(reset.Start)
	if err != nil {
		return err
	}
	if err := r.version.SetFeatureGates(reset.FeatureGates); err != nil {
		return err
	}
	r.session, err = newSession(r.version, reset.Config, start)
	return err
}

// defaultStart is the time at which `at` is 0.
const defaultStart = "2026-01-01T00:00:00Z"

func readStart(text string) (time.Time, error) {
	if text == "" {
		text = defaultStart
	}
	return time.Parse(time.RFC3339Nano, text)
}

// Create tells the API server of a new object.
func (r *Recorder) Create(data json.RawMessage) (wire.Answer, error) {
	return r.change(func(s *Session) error {
		k, object, err := s.readObject(data)
		if err != nil {
			return err
		}
		if pod, ok := object.(*v1.Pod); ok && r.version.Created != nil {
			r.version.Created(pod)
		}
		return s.api.create(k, object)
	})
}

// Update replaces an object.
func (r *Recorder) Update(data json.RawMessage) (wire.Answer, error) {
	return r.change(func(s *Session) error {
		k, object, err := s.readObject(data)
		if err != nil {
			return err
		}
		return s.api.update(k, object)
	})
}

// Delete removes an object at once.
func (r *Recorder) Delete(reference wire.Reference) (wire.Answer, error) {
	return r.change(func(s *Session) error {
		k, known := s.api.kinds.ofType(schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind))
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
	return r.do(func(s *Session) error {
		s.advance(time.Duration(math.Round(seconds * float64(time.Second))))
		return nil
	})
}

// Permit decides on a waiting pod.
func (r *Recorder) Permit(decision wire.Decision) (wire.Answer, error) {
	return r.do(func(s *Session) error { return s.decide(decision) })
}

// Release lets a held pod go on.
func (r *Recorder) Release(pod string) (wire.Answer, error) {
	return r.do(func(s *Session) error { return s.release(pod) })
}

// Schedule runs one scheduling cycle of the pod that Pop gives.
func (r *Recorder) Schedule(pod string) (wire.Answer, error) {
	if pod != "" {
		return wire.Answer{}, wire.Unsupported{Why: "kube-scheduler schedules the pod that its queue gives, not one that is named"}
	}
	idle := false
	answer, err := r.do(func(s *Session) (err error) {
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
	queues, nodes := r.session.sched.Observe()
	return wire.Answer{Records: []wire.Record{{Queues: queues}, {Nodes: &nodes}}}, nil
}

var errNoSession = fmt.Errorf("there is no cluster yet: reset comes first")

// change does something to the API and waits until the scheduler has seen it.
func (r *Recorder) change(what func(*Session) error) (wire.Answer, error) {
	return r.do(func(s *Session) error {
		if err := what(s); err != nil {
			return err
		}
		s.settle()
		return nil
	})
}

func (r *Recorder) do(what func(*Session) error) (wire.Answer, error) {
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
