// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	recorder "refsched/recorder/kubernetes"
	"refsched/recorder/wire"
)

// The history is the one that rollback rules shrink to: a bind fails, and the next pod
// must find everything as it was.
func TestTheForgottenUnreserveIsSeen(t *testing.T) {
	for want, plugin := range map[string]framework.Plugin{
		`"result":"unschedulable"`: &Licences{free: 2},
		`"result":"bound"`:         &Licences{free: 2, givesBack: true},
	} {
		r := recorder.New(recorder.WithPlugin(Name, func(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error) {
			return plugin, nil
		}), recorder.WithEnabled(Name))
		var last string
		for _, request := range []string{
			`{"reset":{"config":{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[{"plugins":{
				"bind":{"disabled":[{"name":"*"}],"enabled":[{"name":"ScriptedBinder"},{"name":"DefaultBinder"}]}}}]}}}`,
			`{"create":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"9"}}}}`,
			pod("a", `{\"ScriptedBinder\":{\"bind\":\"Error\"}}`), `{"schedule":{}}`,
			pod("b", `{}`), `{"schedule":{}}`,
		} {
			answer, err := json.Marshal(wire.Handle(r, []byte(request)))
			if err != nil {
				t.Fatal(err)
			}
			last = string(answer)
		}
		r.Close()
		if !strings.Contains(last, want) {
			t.Errorf("%T: want %s in %s", plugin, want, last)
		}
	}
}

func pod(name, script string) string {
	return fmt.Sprintf(`{"create":{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"annotations":{"refsched.dev/script":"%s"}},
		"spec":{"containers":[{"name":"c","image":"i"}]}}}`, name, script)
}
