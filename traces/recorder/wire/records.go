// SPDX-License-Identifier: Apache-2.0

// Package wire is the refsched protocol, version 1, as Go types, and the loop
// that serves it over stdin and stdout. It knows nothing of Kubernetes: every
// minor version's recorder shares it.
package wire

import "encoding/json"

// Record is one line of a trace without its `at`: exactly one member is set.
type Record struct {
	// Inputs, which a recorder that plays the API server reports itself.
	Create json.RawMessage `json:"create,omitempty"`
	Update json.RawMessage `json:"update,omitempty"`
	Delete *Reference      `json:"delete,omitempty"`

	// Outputs.
	Attempt *Attempt `json:"attempt,omitempty"`
	Bind    *Bind    `json:"bind,omitempty"`
	Write   *Write   `json:"write,omitempty"`

	// Observations.
	Queues *Queues          `json:"queues,omitempty"`
	Nodes  *map[string]Node `json:"nodes,omitempty"`
}

// Reference names an object that is gone.
type Reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Status is what a plugin said of a node.
type Status struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// PreFilter is set where PreFilter refused, or where it narrowed the search to Nodes.
type PreFilter struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Nodes   []string `json:"nodes,omitempty"`
}

// Attempt is one scheduling cycle of one pod, from Pop to the end of Permit.
type Attempt struct {
	Pod                  string                      `json:"pod"`
	PreFilter            *PreFilter                  `json:"preFilter,omitempty"`
	Filter               map[string]Status           `json:"filter,omitempty"`
	Scores               map[string]map[string]int64 `json:"scores,omitempty"`
	Totals               map[string]int64            `json:"totals,omitempty"`
	Node                 string                      `json:"node,omitempty"`
	Evaluated            int                         `json:"evaluated,omitempty"`
	Feasible             int                         `json:"feasible,omitempty"`
	Waiting              bool                        `json:"waiting,omitempty"`
	UnschedulablePlugins []string                    `json:"unschedulablePlugins,omitempty"`
	Result               string                      `json:"result"`
	Message              string                      `json:"message,omitempty"`
	NominatedNode        *string                     `json:"nominatedNode,omitempty"`
	Victims              []string                    `json:"victims,omitempty"`
	Calls                []string                    `json:"calls,omitempty"`
}

// Bind is the end of a binding cycle.
type Bind struct {
	Pod                  string   `json:"pod"`
	Node                 string   `json:"node"`
	Result               string   `json:"result"`
	Calls                []string `json:"calls,omitempty"`
	Message              string   `json:"message,omitempty"`
	UnschedulablePlugins []string `json:"unschedulablePlugins,omitempty"`
}

// Results of an attempt and of a binding cycle.
const (
	Scheduled     = "scheduled"
	Unschedulable = "unschedulable"
	Failed        = "error"
	Bound         = "bound"
)

// Write is what the scheduler wrote to the API besides a binding and a pod's status.
type Write struct {
	Verb   string          `json:"verb"`
	Object json.RawMessage `json:"object"`
}

// Queues are the pods that wait to be scheduled, each list sorted.
type Queues struct {
	Active        []string `json:"active"`
	Backoff       []string `json:"backoff"`
	Unschedulable []string `json:"unschedulable"`
}

// Node is what the scheduler's cache counts as requested on one node: milli-CPU and bytes.
type Node struct {
	Pods             []string         `json:"pods"`
	MilliCPU         int64            `json:"milliCPU"`
	Memory           int64            `json:"memory"`
	EphemeralStorage int64            `json:"ephemeralStorage,omitempty"`
	Scalar           map[string]int64 `json:"scalar,omitempty"`
}

// Held says where a scripted plugin holds a pod.
type Held struct {
	Pod    string `json:"pod"`
	Point  string `json:"point"`
	Plugin string `json:"plugin"`
}
