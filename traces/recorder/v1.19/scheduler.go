// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"refsched/recorder/harness"
	"refsched/recorder/wire"
)

// instance is one scheduler.
type instance struct {
	*scheduler.Scheduler
	session   *harness.Session
	queue     queue
	informers *informerFactory
	// refused is set where Permit rejected a pod, whose status the failure handler is not given.
	refused map[*harness.Cycle]bool
	// extended are the scores of the extenders, in the search under way.
	extended extenderScores
}

// newInstance makes a scheduler the way cmd/kube-scheduler does (cmd/kube-scheduler/app/server.go,
// Setup).
func newInstance(s *harness.Session, config *schedulerapi.KubeSchedulerConfiguration) (*instance, error) {
	client := s.Client()
	informers := newInformerFactory(scheduler.NewInformerFactory(client, 0), s.NewInformers())
	sched, err := scheduler.New(client, informers,
		func(string) events.EventRecorder { return harness.NoEvents{} },
		closed(),
		scheduler.WithProfiles(config.Profiles...),
		scheduler.WithAlgorithmSource(config.AlgorithmSource),
		scheduler.WithPercentageOfNodesToScore(config.PercentageOfNodesToScore),
		scheduler.WithFrameworkOutOfTreeRegistry(scriptedPlugins()),
		scheduler.WithPodMaxBackoffSeconds(config.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(config.PodInitialBackoffSeconds),
		scheduler.WithExtenders(config.Extenders...),
	)
	if err != nil {
		return nil, err
	}
	i := &instance{Scheduler: sched, session: s, queue: queueOf(sched), informers: informers, refused: map[*harness.Cycle]bool{}}
	i.queue.setClock(s.Clock())
	i.instrument()
	return i, nil
}

// start starts it, up to where kube-scheduler would begin to pop.
func (i *instance) start() *harness.Scheduler {
	i.informers.Start(i.session.Context().Done())
	now := i.session.Clock().Now()
	return &harness.Scheduler{
		WouldBlock:  func() bool { return len(i.queue.active()) == 0 },
		ScheduleOne: func(ctx context.Context) { scheduleOne(i.Scheduler, ctx) },
		Observe:     i.observe,
		// The periods are those of internal/queue/scheduling_queue.go, Run.
		Timers: []*harness.Timer{
			{Every: time.Second, Due: now.Add(time.Second), Tick: i.queue.flushBackoffQCompleted},
			{Every: 30 * time.Second, Due: now.Add(30 * time.Second), Tick: i.queue.flushUnschedulableQLeftover},
		},
		Informers: i.informers.Informers,
		Reject: func(pod harness.WaitingPod, _, message string) {
			pod.(framework.WaitingPod).Reject(message)
		},
		Close: i.SchedulingQueue.Close,
	}
}

// closed is a channel by which what scheduler.New starts ends at once: the cache's expiration of
// assumed pods, which goes by the real clock, and the cache debugger. No pod expires under the
// recorder: an API server that took a binding has shown it before time passes.
func closed() <-chan struct{} {
	stop := make(chan struct{})
	close(stop)
	return stop
}

// observe reads the real queue and the real cache. A node that was deleted stays in the
// cache for the pods that it still has (internal/cache/cache.go, RemoveNode), and is shown.
func (i *instance) observe() (*wire.Queues, map[string]wire.Node) {
	nodes := map[string]wire.Node{}
	for name, info := range i.SchedulerCache.Dump().Nodes {
		pods := make([]*v1.Pod, 0, len(info.Pods))
		for _, pod := range info.Pods {
			pods = append(pods, pod.Pod)
		}
		requested := info.Requested
		nodes[name] = harness.NodeRecord(pods, requested.MilliCPU, requested.Memory, requested.EphemeralStorage, requested.ScalarResources)
	}
	return &wire.Queues{
		Active:        harness.PodNames(i.queue.active()),
		Backoff:       harness.PodNames(i.queue.backoff()),
		Unschedulable: harness.PodNames(i.queue.unschedulable()),
	}, nodes
}
