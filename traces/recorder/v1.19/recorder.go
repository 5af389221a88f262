// SPDX-License-Identifier: Apache-2.0

// Package recorder embeds kube-scheduler v1.19 and puts it behind the refsched protocol.
// ../README.md says what surrounds the scheduler, what is waited for, and what cannot be seen.
package recorder

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/clock"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	// Each registers its group's types and their defaulting functions.
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"

	"refsched/recorder/harness"
)

// version is what the harness needs to know of Kubernetes 1.19.
var version = harness.Version{
	Kubernetes: "1.19",
	Tag:        "v1.19.16",
	Capabilities: []string{
		"filter", "score", "preemption", "queue", "cache", "api",
		"scripted", "hold", "volumes", "extenders",
	},
	Codes:           codeNames(),
	Kinds:           kinds,
	Decoder:         legacyscheme.Codecs.UniversalDeserializer(),
	Default:         legacyscheme.Scheme.Default,
	TerminatesLate:  true,
	Clock:           func(now time.Time) harness.Clock { return clock.NewFakeClock(now) },
	SetFeatureGates: setFeatureGates,
	Start: func(s *harness.Session, config json.RawMessage) (*harness.Scheduler, error) {
		read, err := readConfig(config)
		if err != nil {
			return nil, err
		}
		i, err := newInstance(s, read)
		if err != nil {
			return nil, err
		}
		return i.start(), nil
	},
}

// kinds are what scheduler.New and the in-tree plugins list and watch
// (pkg/scheduler/eventhandlers.go, addAllEventHandlers; the listers of VolumeBinding,
// SelectorSpread, PodTopologySpread and DefaultPreemption), and what drivers tell of though
// nobody listens. Some were served in another version then.
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
	harness.NewKind("policy", "v1beta1", "PodDisruptionBudget", "poddisruptionbudgets", true, "v1"),
	harness.NewKind("storage.k8s.io", "v1", "StorageClass", "storageclasses", false),
	harness.NewKind("storage.k8s.io", "v1", "CSINode", "csinodes", false),
	harness.NewKind("storage.k8s.io", "v1", "CSIDriver", "csidrivers", false),
	harness.NewKind("storage.k8s.io", "v1alpha1", "CSIStorageCapacity", "csistoragecapacities", true, "v1", "v1beta1"),
	harness.NewKind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", false),
}

// New makes a recorder that waits for its first reset.
func New() *harness.Recorder {
	// A worker's panic, which ends kube-scheduler, is an answer here.
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, harness.Panicked)
	return harness.New("kube-scheduler", &version)
}

// readConfig reads, defaults and validates a configuration as kube-scheduler does
// (cmd/kube-scheduler/app/options/configfile.go, loadConfig; options.go, newDefaultComponentConfig
// and Validate).
func readConfig(data json.RawMessage) (*schedulerapi.KubeSchedulerConfiguration, error) {
	if len(data) == 0 {
		data = json.RawMessage(fmt.Sprintf(`{"apiVersion":%q,"kind":"KubeSchedulerConfiguration"}`, v1beta1.SchemeGroupVersion))
	}
	object, gvk, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	config, ok := object.(*schedulerapi.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("couldn't decode as KubeSchedulerConfiguration, got %s", gvk)
	}
	return config, validation.ValidateKubeSchedulerConfiguration(config).ToAggregate()
}

// pristine is the feature gates as this version has them by default.
var pristine = utilfeature.DefaultMutableFeatureGate.DeepCopy()

// setFeatureGates gives the gates their defaults, and then sets those asked for.
func setFeatureGates(gates map[string]bool) error {
	fresh := pristine.DeepCopy()
	if err := fresh.SetFromMap(gates); err != nil {
		return err
	}
	utilfeature.DefaultMutableFeatureGate = fresh
	utilfeature.DefaultFeatureGate = fresh
	return nil
}
