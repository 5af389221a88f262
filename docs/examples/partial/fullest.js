// SPDX-License-Identifier: Apache-2.0
// A part of a scheduler in JavaScript with scores of its own: it packs nodes, and so it does not claim `score`.
// On which nodes a pod fits is judged; which of them it takes is not.
//
//   pytest conformance/ --impl="exec:node docs/examples/partial/fullest.js"

"use strict";

const PLUGINS = ["NodeUnschedulable", "TaintToleration", "NodePorts"];
const NEVER = "UnschedulableAndUnresolvable";
const CORDONED = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

let nodes = new Map();
let pods = new Map();

const keyOf = (namespace, name) => `${namespace || "default"}/${name}`;
const podsOn = (node) => [...pods.values()].filter((pod) => pod.spec.nodeName === node);

// --- On which nodes a pod fits ---------------------------------------------------------------------

function tolerates(toleration, taint) {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return ["", "Equal"].includes(toleration.operator || "") && (toleration.value || "") === (taint.value || "");
}

const isTolerated = (pod, taint) => (pod.spec.tolerations || []).some((each) => tolerates(each, taint));

function hostPorts(pod) {
  const sidecars = (pod.spec.initContainers || []).filter((container) => container.restartPolicy === "Always");
  const ports = [...pod.spec.containers, ...sidecars].flatMap((container) => container.ports || []);
  return ports.filter((port) => port.hostPort);
}

function conflict(one, other) {
  const [first, second] = [one.hostIP || "0.0.0.0", other.hostIP || "0.0.0.0"];
  const isSameAddress = first === second || first === "0.0.0.0" || second === "0.0.0.0";
  return one.hostPort === other.hostPort && (one.protocol || "TCP") === (other.protocol || "TCP") && isSameAddress;
}

const rejected = (plugin, code, reason) => ({ code, plugin, reasons: [reason] });

function verdict(pod, node) {
  const { unschedulable, taints = [] } = node.spec || {};
  if (unschedulable && !isTolerated(pod, CORDONED)) return rejected("NodeUnschedulable", NEVER, "node(s) were unschedulable");
  if (taints.some((taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(pod, taint)))
    return rejected("TaintToleration", NEVER, "node(s) had untolerated taint(s)");
  const used = podsOn(node.metadata.name).flatMap(hostPorts);
  if (hostPorts(pod).some((port) => used.some((other) => conflict(port, other))))
    return rejected("NodePorts", "Unschedulable", "node(s) didn't have free ports for the requested pod ports");
  return { code: "Success" };
}

// --- Which one it takes ----------------------------------------------------------------------------

function schedule(key) {
  const pod = pods.get(key);
  if (!pod || pod.spec.nodeName) return { idle: true };
  const filter = {};
  for (const node of nodes.values()) filter[node.metadata.name] = verdict(pod, node);
  const feasible = Object.keys(filter).filter((node) => filter[node].code === "Success");
  if (!feasible.length) return { records: [{ attempt: { pod: key, result: "unschedulable", filter } }] };
  const fullest = feasible.reduce((best, node) => (podsOn(node).length > podsOn(best).length ? node : best));
  pod.spec.nodeName = fullest;
  const attempt = { pod: key, result: "scheduled", node: fullest, filter };
  return { records: [{ attempt }, { bind: { pod: key, node: fullest, result: "bound" } }] };
}

// --- The protocol ----------------------------------------------------------------------------------

function stored(object) {
  const { namespace, name } = object.metadata;
  if (object.kind === "Node") nodes.set(name, object);
  if (object.kind === "Pod") pods.set(keyOf(namespace, name), object);
  return { records: [] };
}

function removed({ kind, namespace, name }) {
  if (kind === "Node") nodes.delete(name);
  if (kind === "Pod") pods.delete(keyOf(namespace, name));
  return { records: [] };
}

function answer(request) {
  const [[verb, value]] = Object.entries(request);
  switch (verb) {
    case "hello":
      return { name: "fullest.js", version: "1", kubernetes: "1.37", capabilities: ["filter"], plugins: PLUGINS };
    case "reset":
      [nodes, pods] = [new Map(), new Map()];
      return {};
    case "create":
    case "update":
      return stored(value);
    case "delete":
      return removed(value);
    case "schedule":
      return schedule(value.pod);
    default:
      return { unsupported: verb };
  }
}

const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n"));
