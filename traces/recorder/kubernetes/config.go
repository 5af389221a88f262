// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/json"
	"fmt"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"refsched/recorder/minor"
	"refsched/recorder/wire"
)

// readConfig reads, defaults and validates a configuration as kube-scheduler does
// (cmd/kube-scheduler/app/options/configfile.go, loadConfig; options.go, Validate).
func readConfig(data json.RawMessage) (*schedulerapi.KubeSchedulerConfiguration, error) {
	if len(data) == 0 {
		return latest.Default()
	}
	object, gvk, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	config, ok := object.(*schedulerapi.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("couldn't decode as KubeSchedulerConfiguration, got %s", gvk)
	}
	config.TypeMeta.APIVersion = gvk.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(config); err != nil {
		return nil, err
	}
	return config, nil
}

// pristine is the feature gates as this version has them by default.
var pristine = utilfeature.DefaultMutableFeatureGate.DeepCopy()

// setFeatureGates gives the gates their defaults, and then sets those asked for.
func setFeatureGates(gates map[string]bool) error {
	fresh := pristine.DeepCopy()
	if err := fresh.SetFromMap(gates); err != nil {
		return err
	}
	for gate, why := range minor.UnsupportedGates {
		if fresh.Enabled(featuregate.Feature(gate)) {
			return wire.Unsupported{Why: fmt.Sprintf("feature gate %s: %s", gate, why)}
		}
	}
	utilfeature.DefaultMutableFeatureGate = fresh
	utilfeature.DefaultFeatureGate = fresh
	return nil
}

// enable adds plugins to every profile at all their extension points, after what the
// configuration enables there (apis/config/types.go, Plugins.MultiPoint).
func enable(config *schedulerapi.KubeSchedulerConfiguration, plugins []string) {
	for i := range config.Profiles {
		points := config.Profiles[i].Plugins
		for _, name := range plugins {
			named := slices.ContainsFunc(points.MultiPoint.Enabled, func(p schedulerapi.Plugin) bool { return p.Name == name })
			if !named && !slices.Contains(points.Names(), name) {
				points.MultiPoint.Enabled = append(points.MultiPoint.Enabled, schedulerapi.Plugin{Name: name})
			}
		}
	}
}

// withDefaults adds the default plugins to those of one's own, if there are any.
func withDefaults(own []string) []string {
	if len(own) == 0 {
		return nil
	}
	config, err := latest.Default()
	if err != nil {
		panic(err)
	}
	names := slices.Clone(own)
	for _, plugin := range config.Profiles[0].Plugins.MultiPoint.Enabled {
		names = append(names, plugin.Name)
	}
	return names
}
