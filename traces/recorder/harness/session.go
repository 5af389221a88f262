// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"encoding/json"
	"errors"
	"os/signal"
	"sync"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"

	"refsched/recorder/wire"
)

// ErrSessionOver ends what waits when the session does.
var ErrSessionOver = errors.New("recorder: the session is over")

// Session is one scheduler with one cluster: what lies between two resets.
//
// One goroutine, the one that serves requests, decides what happens next. The scheduler's
// goroutines run between two decisions, until each has ended or is parked (cycle.go);
// settle (settle.go) is where that is waited for.
type Session struct {
	version *Version
	clock   Clock
	api     *apiServer
	sched   *Scheduler
	volumes volumeController

	ctx     context.Context
	stop    context.CancelFunc
	closing chan struct{} // closed first: what is parked goes on, and ends
	changed chan struct{} // something that waitUntil may wait for has changed

	mu         sync.Mutex
	cycles     []*Cycle // in the order of Pop
	scheduling *Cycle   // the one whose scheduling cycle is not over
	popped     bool     // ScheduleOne has returned
	crash      string   // what the scheduler panicked with
	deadlines  []deadline
	filtering  bool          // PostFilter runs: what it does comes after the attempt
	deleted    []string      // pods that it deleted
	records    []wire.Record // what the request under way has caused
	deferred   []wire.Record // what comes after the attempt under way
	held       *wire.Held    // the first hold that began in the request under way
}

// newSession starts a scheduler up to where it would begin to pop.
func newSession(version *Version, config json.RawMessage, start time.Time) (*Session, error) {
	s := &Session{
		version: version,
		clock:   version.Clock(start),
		closing: make(chan struct{}),
		changed: make(chan struct{}, 1),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.api = newAPIServer(version, s.notify, s.wrote)
	if version.Keeps != nil {
		s.api.keeps = func(object, old runtime.Object, subresource string) {
			version.Keeps(object, old, subresource, s.clock.Now())
		}
	}
	s.volumes.session = s
	current.Store(s)
	sched, err := version.Start(s, config)
	if err != nil {
		s.close()
		return nil, err
	}
	s.sched = sched
	watching := func(gvr schema.GroupVersionResource) bool { return s.api.watching(gvr) != nil }
	s.Poll("the informers to see the empty cluster", func() bool { return sched.Informers.synced(watching) })
	return s, nil
}

// close ends the session and everything that it started.
func (s *Session) close() {
	close(s.closing)
	if s.sched != nil {
		s.waitUntil("the cycles to end", func() bool {
			if s.crash != "" {
				return true // what is left of them is lost
			}
			for _, c := range s.cycles {
				if !c.ended {
					return false
				}
			}
			return s.scheduling == nil || s.popped
		})
		s.sched.Close()
	}
	s.stop()
	// The cache debugger of each scheduler asks for this signal and never lets go
	// (its file debugger.go, ListenForSignal).
	signal.Reset(syscall.SIGUSR2)
}

// Context is the session's: it ends with the session.
func (s *Session) Context() context.Context { return s.ctx }

// Stop ends what runs until the context does.
func (s *Session) Stop() { s.stop() }

// Clock is the session's.
func (s *Session) Clock() Clock { return s.clock }

// Client is what the scheduler talks to.
func (s *Session) Client() *fake.Clientset { return s.api.clientset() }

// BindFor binds a pod for an extender, which under test has no other API server to bind at.
func (s *Session) BindFor(binding *v1.Binding) error { return s.api.bindFor(binding) }

func (s *Session) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// record notes what was caused by the request under way.
func (s *Session) record(r wire.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordLocked(r)
}

func (s *Session) recordLocked(r wire.Record) {
	if s.filtering {
		s.deferred = append(s.deferred, r)
		return
	}
	s.records = append(s.records, r)
}

// take is the answer to the request under way.
func (s *Session) take() wire.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := wire.Answer{Records: s.records, Held: s.held}
	s.records, s.held = nil, nil
	return answer
}

// NoEvents drops the scheduler's events: a trace has none.
type NoEvents struct{}

// Eventf does nothing.
func (NoEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// Clock stands still unless the driver advances it.
type Clock interface {
	Now() time.Time
	SetTime(time.Time)
}
