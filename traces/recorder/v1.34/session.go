// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"errors"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	clocktesting "k8s.io/utils/clock/testing"

	"refsched.dev/recorder/wire"
)

var errSessionOver = errors.New("recorder: the session is over")

// session is one scheduler with one cluster: what lies between two resets.
//
// One goroutine, the one that serves requests, decides what happens next. The scheduler's
// goroutines run between two decisions, until each has ended or is parked (cycle.go);
// settle (settle.go) is where that is waited for.
type session struct {
	clock     *clocktesting.FakeClock
	api       *apiServer
	informers *informerFactory
	sched     *scheduler.Scheduler
	queue     *queue.PriorityQueue
	timers    timers
	volumes   volumeController

	ctx     context.Context
	stop    context.CancelFunc
	closing chan struct{} // closed first: what is parked goes on, and ends
	changed chan struct{} // something that waitUntil may wait for has changed

	mu         sync.Mutex
	cycles     []*cycle // in the order of Pop
	scheduling *cycle   // the one whose scheduling cycle is not over
	popped     bool     // ScheduleOne has returned
	crash      string   // what the scheduler panicked with
	preempting *preempting
	records    []wire.Record // what the request under way has caused
	deferred   []wire.Record // what comes after the attempt under way
	held       *wire.Held    // the first hold that began in the request under way
}

// newSession starts a scheduler the way cmd/kube-scheduler does (cmd/kube-scheduler/app/server.go,
// Setup and Run), up to where that would begin to pop.
func newSession(config *schedulerapi.KubeSchedulerConfiguration, start time.Time, plugins frameworkruntime.Registry) (*session, error) {
	s := &session{
		clock:   clocktesting.NewFakeClock(start),
		closing: make(chan struct{}),
		changed: make(chan struct{}, 1),
	}
	s.ctx, s.stop = context.WithCancel(klog.NewContext(context.Background(), klog.Background()))
	s.api = newAPIServer(s.notify, s.wrote)
	s.volumes.session = s
	client := s.api.clientset()
	s.informers = newInformerFactory(scheduler.NewInformerFactory(client, 0), s.notify)

	registry := s.scriptedPlugins()
	if err := registry.Merge(plugins); err != nil {
		return nil, err
	}
	sched, err := scheduler.New(s.ctx, client, s.informers, nil,
		func(string) events.EventRecorder { return noEvents{} },
		scheduler.WithClock(s.clock),
		scheduler.WithComponentConfigVersion(config.TypeMeta.APIVersion),
		scheduler.WithProfiles(config.Profiles...),
		scheduler.WithPercentageOfNodesToScore(config.PercentageOfNodesToScore),
		scheduler.WithFrameworkOutOfTreeRegistry(registry),
		scheduler.WithPodInitialBackoffSeconds(config.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(config.PodMaxBackoffSeconds),
		scheduler.WithExtenders(config.Extenders...),
		scheduler.WithParallelism(config.Parallelism),
	)
	if err != nil {
		s.close()
		return nil, err
	}
	s.sched = sched
	s.queue = sched.SchedulingQueue.(*queue.PriorityQueue)
	s.instrument(sched)
	s.timers.start(start)
	if sched.APIDispatcher != nil {
		sched.APIDispatcher.Run(klog.FromContext(s.ctx))
	}

	s.informers.Start(s.ctx.Done())
	watching := func(gvr schema.GroupVersionResource) bool { return s.api.watching(gvr) != nil }
	s.poll("the informers to see the empty cluster", func() bool { return s.informers.synced(watching) })
	return s, nil
}

// close ends the session and everything that it started.
func (s *session) close() {
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
		if s.sched.APIDispatcher != nil {
			s.sched.APIDispatcher.Close()
		}
		s.queue.Close()
		if err := s.sched.Profiles.Close(); err != nil {
			klog.ErrorS(err, "A plugin did not close")
		}
	}
	s.stop()
	s.informers.Shutdown()
	// The cache debugger of each scheduler asks for this signal and never lets go
	// (pkg/scheduler/backend/cache/debugger/debugger.go, ListenForSignal).
	signal.Reset(syscall.SIGUSR2)
}

func (s *session) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// record notes what was caused by the request under way.
func (s *session) record(r wire.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordLocked(r)
}

func (s *session) recordLocked(r wire.Record) {
	if s.preempting != nil {
		s.deferred = append(s.deferred, r)
		return
	}
	s.records = append(s.records, r)
}

// take is the answer to the request under way.
func (s *session) take() wire.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := wire.Answer{Records: s.records, Held: s.held}
	s.records, s.held = nil, nil
	return answer
}

// noEvents drops the scheduler's events: a trace has none.
type noEvents struct{}

func (noEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}
