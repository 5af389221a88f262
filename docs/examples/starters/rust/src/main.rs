// SPDX-License-Identifier: Apache-2.0

//! A part of a scheduler in Rust: it filters nodes by their taints and by the host ports that are taken.
//!
//! It reads a request on each line of stdin, and writes its answer as a line to stdout. Put your scheduler in the place of
//! `filter_node`, and the plugins that it has into `PLUGINS`. The functions below `filter_node` are what these two do.

use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::io::{stdin, stdout, BufRead, Result, Write};

const PLUGINS: [&str; 2] = ["TaintToleration", "NodePorts"];
const EVERY_ADDRESS: &str = "0.0.0.0";

#[derive(Default)]
struct Cluster {
    nodes: BTreeMap<String, Value>,
    pods: BTreeMap<String, Value>,
}

impl Cluster {
    fn answer(&mut self, verb: &str, body: &Value) -> Value {
        match verb {
            "hello" => json!({"name": "starter", "version": "1", "kubernetes": "1.37",
                "capabilities": ["filter"], "plugins": PLUGINS}),
            "reset" => {
                *self = Cluster::default();
                json!({})
            }
            "create" | "update" => {
                if let Some(objects) = self.objects_of(body) {
                    objects.insert(key(&body["metadata"]), body.clone());
                }
                json!({"records": []})
            }
            "delete" => {
                if let Some(objects) = self.objects_of(body) {
                    objects.remove(&key(body));
                }
                json!({"records": []})
            }
            "schedule" => json!({"records": self.schedule(text(body, "pod"))}),
            _ => json!({"unsupported": format!("{verb} is not implemented")}),
        }
    }

    fn objects_of(&mut self, body: &Value) -> Option<&mut BTreeMap<String, Value>> {
        match text(body, "kind") {
            "Node" => Some(&mut self.nodes),
            "Pod" => Some(&mut self.pods),
            _ => None,
        }
    }

    fn schedule(&mut self, name: &str) -> Value {
        let (mut statuses, mut feasible) = (Map::new(), None);
        for (node, object) in &self.nodes {
            let status = self.filter_node(&self.pods[name], object);
            if status["code"] == "Success" && feasible.is_none() {
                feasible = Some(node);
            }
            statuses.insert(node.clone(), status);
        }
        let Some(node) = feasible else {
            return json!([{"attempt": {"pod": name, "result": "unschedulable", "filter": statuses}}]);
        };
        self.pods.get_mut(name).unwrap()["spec"]["nodeName"] = json!(node);
        json!([
            {"attempt": {"pod": name, "result": "scheduled", "node": node, "filter": statuses}},
            {"bind": {"pod": name, "node": node, "result": "bound"}},
        ])
    }

    /// Returns the status of the node: that of the first plugin that rejects it.
    fn filter_node(&self, pod: &Value, node: &Value) -> Value {
        for taint in list(&node["spec"], "taints") {
            if text(taint, "effect") != "PreferNoSchedule" && !is_tolerated(taint, pod) {
                let reason = "node(s) had untolerated taint(s)";
                return rejected("UnschedulableAndUnresolvable", "TaintToleration", reason);
            }
        }
        let name = text(&node["metadata"], "name");
        let there = self.pods.values().filter(|pod| text(&pod["spec"], "nodeName") == name);
        let taken: Vec<&Value> = there.flat_map(host_ports).collect();
        if host_ports(pod).iter().any(|one| taken.iter().any(|other| conflict(one, other))) {
            let reason = "node(s) didn't have free ports for the requested pod ports";
            return rejected("Unschedulable", "NodePorts", reason);
        }
        json!({"code": "Success"})
    }
}

fn rejected(code: &str, plugin: &str, reason: &str) -> Value {
    json!({"code": code, "plugin": plugin, "reasons": [reason]})
}

fn is_tolerated(taint: &Value, pod: &Value) -> bool {
    list(&pod["spec"], "tolerations").iter().any(|toleration| tolerates(toleration, taint))
}

/// An empty effect or key matches each.
fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let matches = |field| ["", text(taint, field)].contains(&text(toleration, field));
    let holds = match text(toleration, "operator") {
        "Exists" => true,
        "" | "Equal" => text(toleration, "value") == text(taint, "value"),
        _ => false,
    };
    matches("effect") && matches("key") && holds
}

/// Returns the host ports of its containers and sidecars.
fn host_ports(pod: &Value) -> Vec<&Value> {
    let is_sidecar = |container: &&Value| text(container, "restartPolicy") == "Always";
    let sidecars = list(&pod["spec"], "initContainers").iter().filter(is_sidecar);
    let containers = list(&pod["spec"], "containers").iter().chain(sidecars);
    let ports = containers.flat_map(|container| list(container, "ports"));
    ports.filter(|port| port["hostPort"].as_u64().unwrap_or(0) > 0).collect()
}

fn conflict(one: &Value, other: &Value) -> bool {
    let same = |field| one[field] == other[field];
    let is_every = |port| ["", EVERY_ADDRESS].contains(&text(port, "hostIP"));
    same("hostPort") && same("protocol") && (same("hostIP") || is_every(one) || is_every(other))
}

fn key(metadata: &Value) -> String {
    match text(metadata, "namespace") {
        "" => text(metadata, "name").to_string(),
        namespace => format!("{namespace}/{}", text(metadata, "name")),
    }
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or("")
}

fn list<'a>(object: &'a Value, field: &str) -> &'a [Value] {
    object[field].as_array().map_or(&[], Vec::as_slice)
}

fn main() -> Result<()> {
    let mut cluster = Cluster::default();
    for line in stdin().lock().lines() {
        let request: Map<String, Value> = serde_json::from_str(&line?)?;
        for (verb, body) in &request {
            println!("{}", cluster.answer(verb, body));
            stdout().flush()?;
        }
    }
    Ok(())
}
