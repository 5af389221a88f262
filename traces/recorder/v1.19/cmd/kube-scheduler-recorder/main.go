// SPDX-License-Identifier: Apache-2.0

// kube-scheduler-recorder is kube-scheduler v1.19 behind the refsched protocol.
package main

import (
	recorder "refsched/recorder/kubernetes-1.19"

	"refsched/recorder/harness"
)

func main() { harness.Main(recorder.New()) }
