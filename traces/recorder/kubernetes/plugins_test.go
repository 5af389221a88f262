// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
	"refsched/recorder/wire"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/plugins.json of the version anew")

// testdata is a path in the folder of the version.
func testdata(name string) string { return "../v" + minor.Kubernetes + "/testdata/" + name }

// pluginTable is what the specification's list of plugins is compared with
// (tests/test_default_plugins.py).
type pluginTable struct {
	Registry []string         `json:"registry"`
	Default  []weightedPlugin `json:"default"`
	// Points is what a profile runs that says nothing of its plugins, in order.
	Points map[string][]weightedPlugin `json:"points"`
}

type weightedPlugin struct {
	Name   string `json:"name"`
	Weight int32  `json:"weight,omitempty"`
}

func TestPluginTableIsWhatKubernetesHas(t *testing.T) {
	config, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	table := pluginTable{
		Registry: slices.Sorted(maps.Keys(plugins.NewInTreeRegistry())),
		Points:   map[string][]weightedPlugin{},
	}
	for _, plugin := range config.Profiles[0].Plugins.MultiPoint.Enabled {
		table.Default = append(table.Default, weightedPlugin{plugin.Name, plugin.Weight})
	}
	table.Points = defaultPoints(t)
	made, err := json.MarshalIndent(table, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	made = append(made, '\n')
	path := testdata("plugins.json")
	if *rewrite {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(stored) != string(made) {
		t.Errorf("%s is not what Kubernetes has; go test -run PluginTable -rewrite makes it anew:\n%s", path, made)
	}
}

// defaultPoints asks a framework that is running, which knows the plugins by interface.
func defaultPoints(t *testing.T) map[string][]weightedPlugin {
	var listed *schedulerapi.Plugins
	made := version
	made.Start = func(s *harness.Session, config json.RawMessage) (*harness.Scheduler, error) {
		read, err := readConfig(config)
		if err != nil {
			return nil, err
		}
		i, err := newInstance(s, read, frameworkruntime.Registry{})
		if err != nil {
			return nil, err
		}
		listed = i.Profiles["default-scheduler"].ListPlugins()
		return i.start(), nil
	}
	recorder := harness.New("", &made)
	defer recorder.Close()
	if err := recorder.Reset(wire.Reset{}); err != nil {
		t.Fatal(err)
	}
	sets := map[string]schedulerapi.PluginSet{
		"preEnqueue": listed.PreEnqueue,
		"queueSort":  listed.QueueSort,
		"preFilter":  listed.PreFilter,
		"filter":     listed.Filter,
		"postFilter": listed.PostFilter,
		"preScore":   listed.PreScore,
		"score":      listed.Score,
		"reserve":    listed.Reserve,
		"permit":     listed.Permit,
		"preBind":    listed.PreBind,
		"bind":       listed.Bind,
		"postBind":   listed.PostBind,
	}
	points := map[string][]weightedPlugin{}
	for point, set := range sets {
		points[point] = []weightedPlugin{}
		for _, plugin := range set.Enabled {
			points[point] = append(points[point], weightedPlugin{plugin.Name, plugin.Weight})
		}
	}
	return points
}
