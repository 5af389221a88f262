// SPDX-License-Identifier: Apache-2.0

// example is a scheduler with a plugin of one's own behind the refsched protocol:
//
//	go build -o my-scheduler ./example
//	pytest conformance/ --impl=exec:./my-scheduler
//
// As it stands the plugin forgets to give back what it took; with -gives-back it does not.
package main

import (
	"context"
	"flag"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	recorder "refsched/recorder/kubernetes"
)

var givesBack = flag.Bool("gives-back", false, "whether Unreserve gives back what Reserve took")

func main() {
	recorder.Main(
		recorder.WithName("kube-scheduler with Licences"),
		recorder.WithPlugin(Name, func(context.Context, runtime.Object, framework.Handle) (framework.Plugin, error) {
			return &Licences{free: 3, givesBack: *givesBack}, nil
		}),
		// Where a configuration says nothing of plugins, the plugin is enabled all the same.
		recorder.WithEnabled(Name),
	)
}
