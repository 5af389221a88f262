// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"

	v1 "k8s.io/api/core/v1"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"refsched/recorder/harness"
)

// guard has the session note what panics in the workers of a search, of a dry run, or of scoring.
func (i *instance) guard(profile framework.Framework) {
	handle := preemptHandleOf(profile)
	*handle = &guardedHandle{*handle, i.session}
	plugins := scorePluginsOf(profile)
	for n, plugin := range plugins {
		plugins[n] = &guardedScore{plugin, i.session}
	}
}

type guardedHandle struct {
	framework.PreemptHandle
	session *harness.Session
}

func (h *guardedHandle) RunFilterPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node *framework.NodeInfo) framework.PluginToStatus {
	defer h.session.Guard()
	return h.PreemptHandle.RunFilterPlugins(ctx, state, pod, node)
}

func (h *guardedHandle) RunPreFilterExtensionAddPod(ctx context.Context, state *framework.CycleState, pod, added *v1.Pod, node *framework.NodeInfo) *framework.Status {
	defer h.session.Guard()
	return h.PreemptHandle.RunPreFilterExtensionAddPod(ctx, state, pod, added, node)
}

func (h *guardedHandle) RunPreFilterExtensionRemovePod(ctx context.Context, state *framework.CycleState, pod, removed *v1.Pod, node *framework.NodeInfo) *framework.Status {
	defer h.session.Guard()
	return h.PreemptHandle.RunPreFilterExtensionRemovePod(ctx, state, pod, removed, node)
}

type guardedScore struct {
	framework.ScorePlugin
	session *harness.Session
}

func (p *guardedScore) Score(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) (int64, *framework.Status) {
	defer p.session.Guard()
	return p.ScorePlugin.Score(ctx, state, pod, node)
}
