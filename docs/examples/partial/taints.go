// SPDX-License-Identifier: Apache-2.0

// A part of a scheduler in Go: taints and tolerations, and no score of its own.
//
//	go build -o taints docs/examples/partial/taints.go
//	pytest conformance/ --impl="exec:./taints"
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sort"
)

type object = map[string]any

type taint struct{ Key, Value, Effect string }
type toleration struct{ Key, Operator, Value, Effect string }
type named struct{ Name, Namespace string }

type manifest struct {
	Kind     string
	Metadata named
	Spec     struct {
		Taints      []taint
		Tolerations []toleration
	}
}

var nodes, pods map[string]manifest

func key(of named) string {
	if of.Namespace == "" {
		return "default/" + of.Name
	}
	return of.Namespace + "/" + of.Name
}

func tolerates(one toleration, other taint) bool {
	if one.Effect != "" && one.Effect != other.Effect || one.Key != "" && one.Key != other.Key {
		return false
	}
	return one.Operator == "Exists" || one.Value == other.Value
}

func isTolerated(pod manifest, other taint) bool {
	for _, one := range pod.Spec.Tolerations {
		if tolerates(one, other) {
			return true
		}
	}
	return other.Effect == "PreferNoSchedule"
}

func filter(pod, node manifest) object {
	for _, each := range node.Spec.Taints {
		if !isTolerated(pod, each) {
			return object{"code": "UnschedulableAndUnresolvable", "plugin": "TaintToleration",
				"reasons": []string{"node(s) had untolerated taint(s)"}}
		}
	}
	return object{"code": "Success"}
}

func schedule(pod string) object {
	statuses, feasible := object{}, []string{}
	for name, node := range nodes {
		status := filter(pods[pod], node)
		statuses[name] = status
		if status["code"] == "Success" {
			feasible = append(feasible, name)
		}
	}
	if len(feasible) == 0 {
		return object{"records": []object{{"attempt": object{"pod": pod, "result": "unschedulable", "filter": statuses}}}}
	}
	sort.Strings(feasible)
	return object{"records": []object{
		{"attempt": object{"pod": pod, "result": "scheduled", "node": feasible[0], "filter": statuses}},
		{"bind": object{"pod": pod, "node": feasible[0], "result": "bound"}},
	}}
}

func remember(one manifest) object {
	switch one.Kind {
	case "Node":
		nodes[one.Metadata.Name] = one
	case "Pod":
		pods[key(one.Metadata)] = one
	}
	return object{"records": []object{}}
}

func answer(request map[string]json.RawMessage) object {
	for verb, body := range request {
		var one manifest
		var gone struct {
			Kind string
			named
		}
		var asked struct{ Pod string }
		switch verb {
		case "hello":
			return object{"name": "taints", "version": "1", "kubernetes": "1.37",
				"capabilities": []string{"filter"}, "plugins": []string{"TaintToleration"}}
		case "reset":
			nodes, pods = map[string]manifest{}, map[string]manifest{}
			return object{}
		case "create", "update":
			json.Unmarshal(body, &one)
			return remember(one)
		case "delete":
			json.Unmarshal(body, &gone)
			if gone.Kind == "Node" {
				delete(nodes, gone.Name)
			} else if gone.Kind == "Pod" {
				delete(pods, key(gone.named))
			}
			return object{"records": []object{}}
		case "schedule":
			json.Unmarshal(body, &asked)
			return schedule(asked.Pod)
		}
		return object{"unsupported": verb + " is not known here"}
	}
	return object{"error": "an empty request"}
}

func main() {
	input, output := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var request map[string]json.RawMessage
		json.Unmarshal(line, &request)
		output.Encode(answer(request))
	}
}
