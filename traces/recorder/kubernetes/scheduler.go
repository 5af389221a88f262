// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"time"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/utils/clock"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
	"refsched/recorder/wire"
)

// instance is one scheduler.
type instance struct {
	*scheduler.Scheduler
	session   *harness.Session
	queue     *queue.PriorityQueue
	informers *informerFactory
	// preempting is set while PostFilter runs.
	preempting *preempting
	batches    batches
}

// newInstance makes a scheduler the way cmd/kube-scheduler does (cmd/kube-scheduler/app/server.go,
// Setup).
func newInstance(s *harness.Session, config *schedulerapi.KubeSchedulerConfiguration, plugins frameworkruntime.Registry) (*instance, error) {
	client := s.Client()
	informers := newInformerFactory(minor.NewInformerFactory(client), s.NewInformers())
	registry := scriptedPlugins()
	if err := registry.Merge(plugins); err != nil {
		return nil, err
	}
	sched, err := scheduler.New(s.Context(), client, informers, nil,
		func(string) minor.EventRecorder { return minor.NoEvents{} },
		scheduler.WithClock(s.Clock().(clock.WithTicker)),
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
		return nil, err
	}
	i := &instance{Scheduler: sched, session: s, queue: sched.SchedulingQueue.(*queue.PriorityQueue), informers: informers, batches: batches{s, map[string]made{}}}
	i.instrument()
	return i, nil
}

// start starts it, up to where kube-scheduler would begin to pop.
func (i *instance) start() *harness.Scheduler {
	made := &harness.Scheduler{
		WouldBlock:  i.wouldBlock,
		ScheduleOne: i.ScheduleOne,
		Observe:     i.observe,
		Timers:      i.timers(i.session.Clock().Now()),
		Informers:   i.informers.Informers,
		Reject:      reject,
		Close:       i.close,
	}
	if dispatcher := i.APIDispatcher; dispatcher != nil {
		dispatcher.Run(klog.FromContext(i.session.Context()))
		made.Settled = func() bool { return dispatcherIdle(dispatcher) }
	}
	i.informers.Start(i.session.Context().Done())
	return made
}

func (i *instance) close() {
	if i.APIDispatcher != nil {
		i.APIDispatcher.Close()
	}
	i.queue.Close()
	if err := i.Profiles.Close(); err != nil {
		klog.ErrorS(err, "A plugin did not close")
	}
	i.session.Stop()
	i.informers.Shutdown()
}

// wouldBlock is backend/queue/active_queue.go, unlockedPop.
func (i *instance) wouldBlock() bool {
	if len(i.queue.PodsInActiveQ()) > 0 {
		return false
	}
	return !utilfeature.DefaultFeatureGate.Enabled(features.SchedulerPopFromBackoffQ) || lenBackoff(i.queue) == 0
}

const (
	// backoffFlush is backoffQOrderingWindowDuration (backend/queue/backoff_queue.go).
	backoffFlush = time.Second
	// leftoverFlush is the period at which unschedulable pods are flushed (backend/queue/scheduling_queue.go, Run).
	leftoverFlush = 30 * time.Second
)

// timers are the queue's. The backoff queue's ticks are aligned to whole seconds where pods
// may be popped from it (backoff_queue.go, waitUntilAlignedWithOrderingWindow); the flush
// of unschedulable pods ticks first when the queue is started, and finds none.
func (i *instance) timers(now time.Time) []*harness.Timer {
	logger := klog.FromContext(i.session.Context())
	backoff := &harness.Timer{Every: backoffFlush, Due: now.Add(backoffFlush), Tick: func() { flushBackoffQCompleted(i.queue, logger) }}
	if utilfeature.DefaultFeatureGate.Enabled(features.SchedulerPopFromBackoffQ) {
		backoff.Due = backoff.Due.Truncate(backoffFlush)
	}
	leftover := &harness.Timer{Every: leftoverFlush, Due: now.Add(leftoverFlush), Tick: func() { minor.FlushUnschedulable(i.queue, logger) }}
	return []*harness.Timer{backoff, leftover}
}

func reject(pod harness.WaitingPod, plugin, message string) {
	pod.(minor.WaitingPod).Reject(plugin, message)
}

// observe reads the real queue and the real cache. A node that was deleted stays in the
// cache for the pods that it still has (backend/cache/cache.go, RemoveNode), and is shown.
func (i *instance) observe() (*wire.Queues, map[string]wire.Node) {
	nodes := map[string]wire.Node{}
	for name, info := range i.Cache.Dump().Nodes {
		pods := make([]*v1.Pod, 0, len(info.Pods))
		for _, pod := range info.Pods {
			pods = append(pods, pod.GetPod())
		}
		requested := info.Requested
		nodes[name] = harness.NodeRecord(pods, requested.MilliCPU, requested.Memory, requested.EphemeralStorage, requested.ScalarResources)
	}
	return &wire.Queues{
		Active:        harness.PodNames(i.queue.PodsInActiveQ()),
		Backoff:       harness.PodNames(i.queue.PodsInBackoffQ()),
		Unschedulable: harness.PodNames(i.queue.UnschedulablePods()),
	}, nodes
}
