// SPDX-License-Identifier: Apache-2.0
// A part of a scheduler in JavaScript: requests, node selectors and taints, and no score of its own.
//
//   pytest conformance/ --impl="exec:node docs/examples/partial/fits.js"

"use strict";

const PLUGINS = ["NodeResourcesFit", "NodeAffinity", "TaintToleration"];
const SCALE = { "": 1000n, m: 1n, k: 10n ** 6n, M: 10n ** 9n, G: 10n ** 12n, T: 10n ** 15n, P: 10n ** 18n, E: 10n ** 21n,
  Ki: 1024n * 1000n, Mi: 1024n ** 2n * 1000n, Gi: 1024n ** 3n * 1000n, Ti: 1024n ** 4n * 1000n,
  Pi: 1024n ** 5n * 1000n, Ei: 1024n ** 6n * 1000n };

let nodes, pods;

// --- Quantities ------------------------------------------------------------------------------------

/** In thousandths, rounded up. */
function quantity(text) {
  const [, sign, whole, , fraction = "", suffix = ""] = /^([+-]?)(\d*)(\.(\d*))?([a-zA-Z]*|[eE][+-]?\d+)$/.exec(String(text));
  let digits = BigInt((whole || "0") + fraction);
  let scale = SCALE[suffix];
  let divisor = 10n ** BigInt(fraction.length);
  if (suffix === "n") [scale, divisor] = [1n, divisor * 10n ** 6n];
  else if (suffix === "u") [scale, divisor] = [1n, divisor * 10n ** 3n];
  else if (scale === undefined) {
    const exponent = BigInt(suffix.slice(1));
    if (exponent >= 0n) scale = 1000n * 10n ** exponent;
    else [scale, divisor] = [1000n, divisor * 10n ** -exponent];
  }
  const value = (digits * scale + divisor - 1n) / divisor;
  return sign === "-" ? -value : value;
}

function amounts(list) {
  return Object.fromEntries(Object.entries(list || {}).map(([name, text]) => [name, quantity(text)]));
}

/** As the scheduler counts a node and each pod: cpu in thousandths, the sum of everything else in whole units. */
function counted(sums) {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, name === "cpu" ? sum : (sum + 999n) / 1000n]));
}

function combine(one, other, how) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, how(one[name] || 0n, other[name] || 0n)]));
}

const plus = (a, b) => a + b;
const larger = (a, b) => (a > b ? a : b);

const says = (list) => Object.keys(list || {}).length > 0;

/** Whether the node can never grant the resize of the pod, so that what the specs ask for does not count. */
function isInfeasible({ status = {} }) {
  return (status.conditions || []).find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
}

function statusOf({ status = {} }, container) {
  const all = [...(status.containerStatuses || []), ...(status.initContainerStatuses || [])];
  return all.find(({ name }) => name === container.name) || {};
}

/** What counts for a container as it is desired, as it is allocated, and as it is in use. */
const desired = (pod, container) => amounts(container.resources?.requests);
function allocated(pod, container) {
  const { allocatedResources } = statusOf(pod, container);
  if (says(allocatedResources)) return amounts(allocatedResources);
  return isInfeasible(pod) ? {} : desired(pod, container);
}
function inUse(pod, container) {
  const used = statusOf(pod, container).resources?.requests;
  return says(used) ? amounts(used) : allocated(pod, container);
}

/** Requests of the containers, or of the init containers where one asks for more. */
function sumOf(pod, asked) {
  let total = (pod.spec.containers || []).map((container) => asked(pod, container)).reduce((a, b) => combine(a, b, plus), {});
  let sidecars = {}, largest = {};
  for (const container of pod.spec.initContainers || []) {
    let needed = asked(pod, container);
    if (container.restartPolicy === "Always") {
      total = combine(total, needed, plus);
      sidecars = combine(sidecars, needed, plus);
      needed = sidecars;
    } else {
      needed = combine(needed, sidecars, plus);
    }
    largest = combine(largest, needed, larger);
  }
  return combine(total, largest, larger);
}

/** Of each resource a bound pod requests the largest of the sums: while it is resized, what it holds counts too. */
function ofContainers(pod) {
  if (!pod.spec.nodeName) return sumOf(pod, desired);
  const { allocatedResources, resources = {}, containerStatuses = [], initContainerStatuses = [] } = pod.status || {};
  const sums = isInfeasible(pod) ? [] : [sumOf(pod, desired)];
  if (says(allocatedResources) && says(resources.requests)) {
    sums.push(amounts(allocatedResources), amounts(resources.requests));
  } else if (isInfeasible(pod) || containerStatuses.length || initContainerStatuses.length) {
    sums.push(sumOf(pod, allocated), sumOf(pod, inUse));
  }
  return sums.reduce((a, b) => combine(a, b, larger), {});
}

const isOfPods = (name) => name === "cpu" || name === "memory" || name.startsWith("hugepages-");
const ofPods = (list) => Object.fromEntries(Object.entries(list).filter(([name]) => isOfPods(name)));

/** What the pod as a whole requests, which goes before what its containers request. */
function ofTheWhole(pod) {
  const { limits, requests } = pod.spec.resources || {};
  const asked = ofPods(amounts({ ...limits, ...requests }));
  const { resources, allocatedResources } = pod.status || {};
  if (!says(asked) || !pod.spec.nodeName || !resources) return asked;
  const held = ofPods(combine(amounts(resources.requests), amounts(allocatedResources), larger));
  return isInfeasible(pod) ? held : combine(asked, held, larger);
}

function requests(pod) {
  return counted(combine({ ...ofContainers(pod), ...ofTheWhole(pod) }, amounts(pod.spec.overhead), plus));
}

// --- Filters ---------------------------------------------------------------------------------------

const rejected = (plugin, reasons, code = "Unschedulable") => ({ code, plugin, reasons });

function tolerates(toleration, taint) {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  return ["", "Equal"].includes(toleration.operator || "") && (toleration.value || "") === (taint.value || "");
}

function taints(pod, node) {
  const untolerated = (node.spec?.taints || []).find((taint) => taint.effect !== "PreferNoSchedule"
    && !(pod.spec.tolerations || []).some((toleration) => tolerates(toleration, taint)));
  if (!untolerated) return null;
  return rejected("TaintToleration", ["node(s) had untolerated taint(s)"], "UnschedulableAndUnresolvable");
}

function integer(text) {
  return /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? BigInt(text) : null;
}

function matches({ key, operator, values = [] }, labels) {
  const has = Object.hasOwn(labels, key);
  switch (operator) {
    case "In": return has && values.includes(labels[key]);
    case "NotIn": return !has || !values.includes(labels[key]);
    case "Exists": return has;
    case "DoesNotExist": return !has;
    default: {
      const [left, right] = [has ? integer(labels[key]) : null, integer(values[0])];
      return left !== null && right !== null && (operator === "Gt" ? left > right : left < right);
    }
  }
}

/** Whether a label could have this value: an expression with another cannot be read, and its term matches no node. */
const isLabelValue = (text) => text.length <= 63 && /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(text);

function selected(pod, node) {
  const labels = node.metadata.labels || {};
  const fields = { "metadata.name": node.metadata.name };
  const chosen = Object.entries(pod.spec.nodeSelector || {}).every(([key, value]) => labels[key] === value);
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const term = ({ matchExpressions = [], matchFields = [] }) => matchExpressions.length + matchFields.length > 0
    && matchExpressions.every(({ values = [] }) => values.every(isLabelValue))
    && matchExpressions.every((each) => matches(each, labels)) && matchFields.every((each) => matches(each, fields));
  if (chosen && (!required || required.nodeSelectorTerms.some(term))) return null;
  return rejected("NodeAffinity", ["node(s) didn't match Pod's node affinity/selector"], "UnschedulableAndUnresolvable");
}

function fits(pod, node) {
  const there = Object.values(pods).filter((other) => other.spec.nodeName === node.metadata.name);
  const capacity = counted(amounts(node.status?.allocatable));
  const used = there.map(requests).reduce((a, b) => combine(a, b, plus), {});
  const reasons = [];
  let impossible = false;
  if (BigInt(there.length) + 1n > (capacity.pods || 0n)) reasons.push("Too many pods");
  for (const [name, asked] of Object.entries(requests(pod)).sort()) {
    if (asked > 0n && asked > (capacity[name] || 0n) - (used[name] || 0n)) {
      reasons.push(`Insufficient ${name}`);
      impossible ||= asked > (capacity[name] || 0n);
    }
  }
  if (!reasons.length) return null;
  return rejected("NodeResourcesFit", reasons, impossible ? "UnschedulableAndUnresolvable" : "Unschedulable");
}

// --- Requests --------------------------------------------------------------------------------------

function schedule({ pod: key }) {
  const pod = pods[key];
  const filter = {};
  for (const node of Object.values(nodes)) {
    filter[node.metadata.name] = taints(pod, node) || selected(pod, node) || fits(pod, node) || { code: "Success" };
  }
  const node = Object.keys(filter).find((name) => filter[name].code === "Success");
  if (node === undefined) return { records: [{ attempt: { pod: key, result: "unschedulable", filter } }] };
  pod.spec.nodeName = node;
  return { records: [{ attempt: { pod: key, result: "scheduled", node, filter } }, { bind: { pod: key, node, result: "bound" } }] };
}

function answer(request) {
  const [[verb, body]] = Object.entries(request);
  const key = (named) => `${named.namespace || "default"}/${named.name}`;
  switch (verb) {
    case "hello":
      return { name: "fits.js", version: "1", kubernetes: "1.37", capabilities: ["filter"], plugins: PLUGINS };
    case "reset":
      [nodes, pods] = [{}, {}];
      return {};
    case "create":
    case "update":
      if (body.kind === "Node") nodes[body.metadata.name] = body;
      if (body.kind === "Pod") {
        const known = pods[key(body.metadata)]?.spec.nodeName;
        pods[key(body.metadata)] = body;
        if (known) body.spec.nodeName = known;
      }
      return { records: [] };
    case "delete":
      if (body.kind === "Node") delete nodes[body.name];
      if (body.kind === "Pod") delete pods[key(body)];
      return { records: [] };
    case "schedule":
      return schedule(body);
    default:
      return { unsupported: `${verb} is not known here` };
  }
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
});
