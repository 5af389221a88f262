// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"refsched/recorder/harness"
	"refsched/recorder/minor"
)

// guardScores has the session note what panics in the workers that score nodes.
func (i *instance) guardScores(profile framework.Framework) {
	plugins := scorePluginsOf(profile)
	for n, plugin := range plugins {
		plugins[n] = &guardedScore{plugin, i.session}
	}
}

type guardedScore struct {
	minor.ScorePlugin
	session *harness.Session
}

func (p *guardedScore) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	defer p.session.Guard()
	return p.ScorePlugin.Score(ctx, state, pod, node)
}
