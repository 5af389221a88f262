// SPDX-License-Identifier: Apache-2.0

// kube-scheduler-recorder is kube-scheduler v1.34 behind the refsched protocol.
package main

import recorder "refsched/recorder/kubernetes"

func main() { recorder.Main() }
