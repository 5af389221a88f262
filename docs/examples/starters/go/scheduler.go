// SPDX-License-Identifier: Apache-2.0

// A part of a scheduler in Go: it filters nodes by their taints and by the host ports that are taken.
//
// It reads a request on each line of stdin, and writes its answer as a line to stdout. Put your scheduler in the place of
// filterNode, and the plugins that it has into plugins. The functions below filterNode are what these two do.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"slices"
)

var plugins = []string{"TaintToleration", "NodePorts"}

const everyAddress = "0.0.0.0"

type object = map[string]any

type metadata struct{ Name, Namespace string }

type taint struct{ Key, Value, Effect string }

type toleration struct{ Key, Operator, Value, Effect string }

type port struct {
	HostIP, Protocol string
	HostPort         int
}

type container struct {
	RestartPolicy string
	Ports         []port
}

// manifest has the fields of nodes and of pods that are read here.
type manifest struct {
	Kind     string
	Metadata metadata
	Spec     struct {
		Taints                     []taint
		NodeName                   string
		Tolerations                []toleration
		Containers, InitContainers []container
	}
}

type status struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// request has all members that one may have, of which each has one.
type request struct {
	Hello, Reset   *struct{}
	Create, Update *manifest
	Delete         *struct {
		Kind string
		metadata
	}
	Schedule *struct{ Pod string }
}

var nodes, pods map[string]*manifest

func answer(asked request) object {
	switch {
	case asked.Hello != nil:
		return object{"name": "starter", "version": "1", "kubernetes": "1.37",
			"capabilities": []string{"filter"}, "plugins": plugins}
	case asked.Reset != nil:
		nodes, pods = map[string]*manifest{}, map[string]*manifest{}
		return object{}
	case asked.Create != nil:
		objectsOf(asked.Create.Kind)[key(asked.Create.Metadata)] = asked.Create
	case asked.Update != nil:
		objectsOf(asked.Update.Kind)[key(asked.Update.Metadata)] = asked.Update
	case asked.Delete != nil:
		delete(objectsOf(asked.Delete.Kind), key(asked.Delete.metadata))
	case asked.Schedule != nil:
		return object{"records": schedule(asked.Schedule.Pod)}
	default:
		return object{"unsupported": "it is not implemented"}
	}
	return object{"records": []object{}}
}

func objectsOf(kind string) map[string]*manifest {
	switch kind {
	case "Node":
		return nodes
	case "Pod":
		return pods
	}
	return map[string]*manifest{}
}

func key(of metadata) string {
	if of.Namespace == "" {
		return of.Name
	}
	return of.Namespace + "/" + of.Name
}

func schedule(name string) []object {
	pod, statuses, feasible := pods[name], map[string]status{}, []string{}
	for node, its := range nodes {
		statuses[node] = filterNode(pod, its)
		if statuses[node].Code == "Success" {
			feasible = append(feasible, node)
		}
	}
	if len(feasible) == 0 {
		return []object{{"attempt": object{"pod": name, "result": "unschedulable", "filter": statuses}}}
	}
	pod.Spec.NodeName = slices.Min(feasible)
	return []object{
		{"attempt": object{"pod": name, "result": "scheduled", "node": pod.Spec.NodeName, "filter": statuses}},
		{"bind": object{"pod": name, "node": pod.Spec.NodeName, "result": "bound"}},
	}
}

// filterNode returns the status of the node: that of the first plugin that rejects it.
func filterNode(pod, node *manifest) status {
	for _, each := range node.Spec.Taints {
		if each.Effect != "PreferNoSchedule" && !isTolerated(each, pod) {
			return status{"UnschedulableAndUnresolvable", "TaintToleration", []string{"node(s) had untolerated taint(s)"}}
		}
	}
	for _, other := range pods {
		if other.Spec.NodeName == node.Metadata.Name && conflict(hostPorts(pod), hostPorts(other)) {
			return status{"Unschedulable", "NodePorts", []string{"node(s) didn't have free ports for the requested pod ports"}}
		}
	}
	return status{Code: "Success"}
}

func isTolerated(taint taint, pod *manifest) bool {
	return slices.ContainsFunc(pod.Spec.Tolerations, func(each toleration) bool { return tolerates(each, taint) })
}

// tolerates takes an empty effect or key to match each.
func tolerates(toleration toleration, taint taint) bool {
	if toleration.Effect != "" && toleration.Effect != taint.Effect || toleration.Key != "" && toleration.Key != taint.Key {
		return false
	}
	if toleration.Operator == "" || toleration.Operator == "Equal" {
		return toleration.Value == taint.Value
	}
	return toleration.Operator == "Exists"
}

// hostPorts returns the host ports of its containers and sidecars.
func hostPorts(pod *manifest) (ports []port) {
	for _, each := range pod.Spec.Containers {
		ports = append(ports, each.Ports...)
	}
	for _, each := range pod.Spec.InitContainers {
		if each.RestartPolicy == "Always" {
			ports = append(ports, each.Ports...)
		}
	}
	return slices.DeleteFunc(ports, func(each port) bool { return each.HostPort == 0 })
}

func conflict(ports, others []port) bool {
	for _, one := range ports {
		for _, other := range others {
			if one.HostPort == other.HostPort && one.Protocol == other.Protocol && meet(one.HostIP, other.HostIP) {
				return true
			}
		}
	}
	return false
}

func meet(address, other string) bool {
	return address == other || slices.Contains([]string{"", everyAddress}, address) || slices.Contains([]string{"", everyAddress}, other)
}

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked request
		if err := input.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if err := output.Encode(answer(asked)); err != nil {
			log.Fatal(err)
		}
	}
}
