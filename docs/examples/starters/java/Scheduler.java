// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A part of a scheduler in Java: it filters nodes by their taints and by the host ports that are taken.
 *
 * <p>It reads a request on each line of stdin, and writes its answer as a line to stdout. Put your scheduler in the place of
 * {@link #filterNode}, and the plugins that it has into {@link #PLUGINS}. The methods below it are what these two do.
 */
final class Scheduler {
  private static final List<String> PLUGINS = List.of("TaintToleration", "NodePorts");
  private static final String EVERY_ADDRESS = "0.0.0.0";

  private final Map<String, Json> nodes = new TreeMap<>();
  private final Map<String, Json> pods = new TreeMap<>();

  private Object answer(String verb, Json body) {
    switch (verb) {
      case "hello":
        return Map.of("name", "starter", "version", "1", "kubernetes", "1.37",
            "capabilities", List.of("filter"), "plugins", PLUGINS);
      case "reset":
        nodes.clear();
        pods.clear();
        return Map.of();
      case "create", "update":
        objectsOf(body).put(key(body.get("metadata")), body);
        return Map.of("records", List.of());
      case "delete":
        objectsOf(body).remove(key(body));
        return Map.of("records", List.of());
      case "schedule":
        return Map.of("records", schedule(body.text("pod")));
      default:
        return Map.of("unsupported", verb + " is not implemented");
    }
  }

  private Map<String, Json> objectsOf(Json body) {
    return switch (body.text("kind")) {
      case "Node" -> nodes;
      case "Pod" -> pods;
      default -> new TreeMap<>();
    };
  }

  private static String key(Json metadata) {
    String namespace = metadata.text("namespace");
    return namespace.isEmpty() ? metadata.text("name") : namespace + "/" + metadata.text("name");
  }

  private List<?> schedule(String name) {
    Json pod = pods.get(name);
    Map<String, Map<String, ?>> filter = new TreeMap<>();
    nodes.forEach((node, object) -> filter.put(node, filterNode(pod, object)));
    for (String node : filter.keySet()) {
      if (filter.get(node).get("code").equals("Success")) {
        pod.get("spec").put("nodeName", node);
        return List.of(
            Map.of("attempt", Map.of("pod", name, "result", "scheduled", "node", node, "filter", filter)),
            Map.of("bind", Map.of("pod", name, "node", node, "result", "bound")));
      }
    }
    return List.of(Map.of("attempt", Map.of("pod", name, "result", "unschedulable", "filter", filter)));
  }

  /** Returns the status of the node: that of the first plugin that rejects it. */
  private Map<String, ?> filterNode(Json pod, Json node) {
    for (Json taint : node.get("spec").list("taints")) {
      if (!taint.text("effect").equals("PreferNoSchedule") && !isTolerated(taint, pod)) {
        return rejected("UnschedulableAndUnresolvable", "TaintToleration", "node(s) had untolerated taint(s)");
      }
    }
    String name = node.get("metadata").text("name");
    for (Json other : pods.values()) {
      if (other.get("spec").text("nodeName").equals(name) && hostPorts(pod).anyMatch(one -> isTaken(one, other))) {
        return rejected("Unschedulable", "NodePorts", "node(s) didn't have free ports for the requested pod ports");
      }
    }
    return Map.of("code", "Success");
  }

  private static Map<String, ?> rejected(String code, String plugin, String reason) {
    return Map.of("code", code, "plugin", plugin, "reasons", List.of(reason));
  }

  private static boolean isTolerated(Json taint, Json pod) {
    return pod.get("spec").list("tolerations").stream().anyMatch(each -> tolerates(each, taint));
  }

  /** An empty effect or key matches each. */
  private static boolean tolerates(Json toleration, Json taint) {
    return List.of("", taint.text("effect")).contains(toleration.text("effect"))
        && List.of("", taint.text("key")).contains(toleration.text("key"))
        && (toleration.text("operator").equals("Exists")
            || List.of("", "Equal").contains(toleration.text("operator"))
                && toleration.text("value").equals(taint.text("value")));
  }

  /** Returns the host ports of its containers and sidecars. */
  private static Stream<Json> hostPorts(Json pod) {
    Stream<Json> sidecars =
        pod.get("spec").list("initContainers").stream().filter(each -> each.text("restartPolicy").equals("Always"));
    return Stream.concat(pod.get("spec").list("containers").stream(), sidecars)
        .flatMap(each -> each.list("ports").stream())
        .filter(port -> !List.of("", "0").contains(port.text("hostPort")));
  }

  private static boolean isTaken(Json port, Json pod) {
    return hostPorts(pod).anyMatch(other -> port.text("hostPort").equals(other.text("hostPort"))
        && port.text("protocol").equals(other.text("protocol"))
        && (address(port).equals(address(other)) || List.of(address(port), address(other)).contains(EVERY_ADDRESS)));
  }

  private static String address(Json port) {
    return port.text("hostIP").isEmpty() ? EVERY_ADDRESS : port.text("hostIP");
  }

  public static void main(String[] arguments) throws IOException {
    Scheduler scheduler = new Scheduler();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    PrintStream output = new PrintStream(System.out, true, UTF_8);
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      Json request = Json.read(line);
      for (String verb : request.names()) {
        output.println(Json.write(scheduler.answer(verb, request.get(verb))));
      }
    }
  }
}
