// SPDX-License-Identifier: Apache-2.0

// example is a scheduler with a plugin of one's own behind the refsched protocol:
//
//	go build -o my-scheduler ./example
//	pytest conformance/ --impl=exec:./my-scheduler
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	recorder "refsched.dev/recorder/kubernetes-1.34"
)

func main() {
	recorder.Main(
		recorder.WithName("kube-scheduler with Licences"),
		recorder.WithPlugin(Name, func(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error) {
			return &Licences{free: 2}, nil
		}),
		// Where a configuration says nothing of plugins, the plugin is enabled all the same.
		recorder.WithEnabled(Name),
	)
}
