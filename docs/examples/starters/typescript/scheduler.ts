// SPDX-License-Identifier: Apache-2.0

// A part of a scheduler in TypeScript: it filters nodes by their taints and by the host ports that are taken.
//
// It reads a request on each line of stdin, and writes its answer as a line to stdout. Put your scheduler in the place of
// `filterNode`, and the plugins that it has into `PLUGINS`. The functions below `filterNode` are what these two do.

import { createInterface } from "node:readline";

interface Metadata { name: string; namespace?: string }
interface Taint { key: string; value?: string; effect: string }
interface Toleration { key?: string; operator?: string; value?: string; effect?: string }
interface Port { hostPort?: number; hostIP?: string; protocol?: string }
interface Container { ports?: Port[]; restartPolicy?: string }
interface Node { kind: "Node"; metadata: Metadata; spec?: { taints?: Taint[] } }
interface Pod {
  kind: "Pod";
  metadata: Metadata;
  spec: { nodeName?: string; containers: Container[]; initContainers?: Container[]; tolerations?: Toleration[] };
}
interface Status { code: string; plugin?: string; reasons?: string[] }

const PLUGINS = ["TaintToleration", "NodePorts"];
const EVERY_ADDRESS = "0.0.0.0";

const nodes = new Map<string, Node>();
const pods = new Map<string, Pod>();

function answer(request: object): object {
  const [[verb, body]] = Object.entries(request);
  switch (verb) {
    case "hello":
      return { name: "starter", version: "1", kubernetes: "1.37", capabilities: ["filter"], plugins: PLUGINS };
    case "reset":
      nodes.clear();
      pods.clear();
      return {};
    case "create":
    case "update":
      if (body.kind === "Node") nodes.set(key(body.metadata), body);
      if (body.kind === "Pod") pods.set(key(body.metadata), body);
      return { records: [] };
    case "delete":
      if (body.kind === "Node") nodes.delete(key(body));
      if (body.kind === "Pod") pods.delete(key(body));
      return { records: [] };
    case "schedule":
      return { records: schedule(body.pod) };
    default:
      return { unsupported: `${verb} is not implemented` };
  }
}

function key({ name, namespace }: Metadata): string {
  return namespace ? `${namespace}/${name}` : name;
}

function schedule(name: string): object[] {
  const pod = pods.get(name)!;
  const filter: Record<string, Status> = {};
  for (const [node, object] of nodes) filter[node] = filterNode(pod, object);
  const node = Object.keys(filter).sort().find((each) => filter[each].code === "Success");
  if (node === undefined) return [{ attempt: { pod: name, result: "unschedulable", filter } }];
  pod.spec.nodeName = node;
  return [{ attempt: { pod: name, result: "scheduled", node, filter } }, { bind: { pod: name, node, result: "bound" } }];
}

/** Returns the status of the node: that of the first plugin that rejects it. */
function filterNode(pod: Pod, node: Node): Status {
  const taints = (node.spec?.taints ?? []).filter((taint) => taint.effect !== "PreferNoSchedule");
  if (taints.some((taint) => !(pod.spec.tolerations ?? []).some((each) => tolerates(each, taint)))) {
    return rejected("UnschedulableAndUnresolvable", "TaintToleration", "node(s) had untolerated taint(s)");
  }
  const there = [...pods.values()].filter((other) => other.spec.nodeName === node.metadata.name);
  const taken = there.flatMap(hostPorts);
  if (hostPorts(pod).some((port) => taken.some((other) => conflict(port, other)))) {
    return rejected("Unschedulable", "NodePorts", "node(s) didn't have free ports for the requested pod ports");
  }
  return { code: "Success" };
}

function rejected(code: string, plugin: string, reason: string): Status {
  return { code, plugin, reasons: [reason] };
}

/** An empty effect or key matches each. */
function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return ["", "Equal"].includes(toleration.operator ?? "") && (toleration.value ?? "") === (taint.value ?? "");
}

/** Returns the host ports of its containers and sidecars. */
function hostPorts(pod: Pod): Port[] {
  const sidecars = (pod.spec.initContainers ?? []).filter((each) => each.restartPolicy === "Always");
  return [...pod.spec.containers, ...sidecars].flatMap((each) => each.ports ?? []).filter((port) => port.hostPort);
}

function conflict(one: Port, other: Port): boolean {
  const [address, another] = [one.hostIP || EVERY_ADDRESS, other.hostIP || EVERY_ADDRESS];
  const meet = address === another || address === EVERY_ADDRESS || another === EVERY_ADDRESS;
  return meet && one.hostPort === other.hostPort && (one.protocol || "TCP") === (other.protocol || "TCP");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
});
