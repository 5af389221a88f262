// SPDX-License-Identifier: Apache-2.0

// Package recorder embeds kube-scheduler, v1.34 or later, and puts it behind the refsched protocol.
// What it reports is what the real framework returned, what the real cache and queue
// hold, and what reached the API. ../README.md says what surrounds the scheduler, what is
// waited for, and what cannot be seen.
package recorder

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	clocktesting "k8s.io/utils/clock/testing"

	// Each registers its group's types and their defaulting functions.
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// version is what the harness needs to know of this minor version of Kubernetes. All capabilities are claimed.
var version = harness.Version{
	Kubernetes: minor.Kubernetes,
	Tag:        minor.Tag,
	Capabilities: []string{
		"filter", "score", "preemption", "queue", "cache", "api",
		"scripted", "hold", "volumes", "devices", "extenders", "validation",
	},
	Codes:           []string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"},
	Kinds:           kinds,
	Decoder:         legacyscheme.Codecs.UniversalDeserializer(),
	Default:         legacyscheme.Scheme.Default,
	Created:         created,
	Keeps:           keeps,
	MayBeBound:      hasNoGates,
	Clock:           func(now time.Time) harness.Clock { return clocktesting.NewFakeClock(now) },
	SetFeatureGates: setFeatureGates,
}

// kinds are what scheduler.New and the in-tree plugins list and watch
// (pkg/scheduler/eventhandlers.go, addAllEventHandlers; the listers of
// VolumeBinding, PodTopologySpread, DefaultPreemption and DynamicResources).
var kinds = []harness.Kind{
	harness.NewKind("", "v1", "Pod", "pods", true),
	harness.NewKind("", "v1", "Node", "nodes", false),
	harness.NewKind("", "v1", "Namespace", "namespaces", false),
	harness.NewKind("", "v1", "PersistentVolume", "persistentvolumes", false),
	harness.NewKind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true),
	harness.NewKind("", "v1", "Service", "services", true),
	harness.NewKind("", "v1", "ReplicationController", "replicationcontrollers", true),
	harness.NewKind("apps", "v1", "ReplicaSet", "replicasets", true),
	harness.NewKind("apps", "v1", "StatefulSet", "statefulsets", true),
	harness.NewKind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true),
	harness.NewKind("storage.k8s.io", "v1", "StorageClass", "storageclasses", false),
	harness.NewKind("storage.k8s.io", "v1", "CSINode", "csinodes", false),
	harness.NewKind("storage.k8s.io", "v1", "CSIDriver", "csidrivers", false),
	harness.NewKind("storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", true),
	harness.NewKind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", false),
	harness.NewKind("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", true),
	harness.NewKind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", true),
	harness.NewKind("resource.k8s.io", "v1", "ResourceSlice", "resourceslices", false),
	harness.NewKind("resource.k8s.io", "v1", "DeviceClass", "deviceclasses", false),
	minor.DeviceTaintRules,
}

// hasNoGates is of BindingREST what v1.19 does not have (pkg/registry/core/pod/storage/storage.go,
// setPodNodeAndMetadata).
func hasNoGates(pod *v1.Pod) error {
	if len(pod.Spec.SchedulingGates) != 0 {
		return fmt.Errorf("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	return nil
}

// options are what a program may add.
type options struct {
	name    string
	plugins frameworkruntime.Registry
	enabled []string
}

// Option configures Main and New.
type Option func(*options)

// WithPlugin registers an out-of-tree plugin, as cmd/kube-scheduler's option of that name does.
// A configuration that enables it then has it.
func WithPlugin(name string, factory frameworkruntime.PluginFactory) Option {
	return func(o *options) { o.plugins[name] = factory }
}

// WithEnabled enables plugins in every profile of every configuration that does not name
// them itself: a suite's configurations know nothing of a plugin under test.
func WithEnabled(plugins ...string) Option {
	return func(o *options) { o.enabled = append(o.enabled, plugins...) }
}

// WithName names the scheduler in the answer to hello.
func WithName(name string) Option {
	return func(o *options) { o.name = name }
}

// Main serves the protocol on stdin and stdout until stdin ends.
func Main(with ...Option) { harness.Main(New(with...)) }

// New makes a recorder that waits for its first reset.
func New(with ...Option) *harness.Recorder {
	// Metrics are registered once in a process, and those of a feature only where its gate is on
	// then. Preemption's are counted on (preemption.go), so this comes before any reset.
	metrics.Register()
	// A worker's panic, which ends kube-scheduler, is an answer here.
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(_ context.Context, crash any) { harness.Panicked(crash) })
	o := &options{name: "kube-scheduler", plugins: frameworkruntime.Registry{}}
	for _, option := range with {
		option(o)
	}
	made := version
	made.Plugins = withDefaults(o.enabled)
	made.Start = func(s *harness.Session, config json.RawMessage) (*harness.Scheduler, error) {
		read, err := readConfig(config)
		if err != nil {
			return nil, err
		}
		enable(read, o.enabled)
		i, err := newInstance(s, read, o.plugins)
		if err != nil {
			return nil, err
		}
		return i.start(), nil
	}
	return harness.New(o.name, &made)
}
