package dev.headrace.cluster.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.yaml.snakeyaml.Yaml;

/**
 * A file {@code reachability-metadata.json}, in the form of GraalVM for JDK 23 and newer. It names
 * all resources one by one, and has no conditions.
 *
 * @param types by their names, what is said of them
 * @param resources names of resources
 */
record ReachabilityMetadata(Map<String, Map<String, Object>> types, List<String> resources) {

  /** Reads the file of the node. */
  static ReachabilityMetadata ofNode() throws IOException {
    try (InputStream file =
        ReachabilityMetadata.class.getResourceAsStream(
            "/META-INF/native-image/dev.headrace/headrace-cluster/reachability-metadata.json")) {
      Map<String, List<Map<String, Object>>> parts = new Yaml().load(file); // JSON is YAML, too
      Map<String, Map<String, Object>> types = new TreeMap<>();
      parts.get("reflection").forEach(type -> types.put((String) type.get("type"), type));
      return new ReachabilityMetadata(
          types, parts.get("resources").stream().map(each -> (String) each.get("glob")).toList());
    }
  }

  /** Whether an image that is built with this file allows a use, as the log has it. */
  boolean allows(String kind, String name, String member) {
    if (kind.equals("resource")) {
      return resources.contains(name);
    }
    Map<String, Object> type = types.get(name);
    if (type == null) {
      return false;
    }
    return switch (kind) {
      case "type" -> true;
      case "all" -> type.containsKey("all" + member);
      case "field" -> type.containsKey("allDeclaredFields") || fields(type).contains(member);
      case "method" ->
          type.containsKey(allOf(member))
              || type.containsKey("allPublicMethods") // inherited ones, too
              || methods(type).contains(member);
      default -> false;
    };
  }

  private static String allOf(String method) {
    return method.startsWith("<init>") ? "allDeclaredConstructors" : "allDeclaredMethods";
  }

  /** The fields of a type that are named. */
  static List<String> fields(Map<String, Object> type) {
    return parts(type, "fields").stream().map(field -> (String) field.get("name")).toList();
  }

  /** The methods and constructors of a type that are named, as the log has them. */
  static List<String> methods(Map<String, Object> type) {
    return parts(type, "methods").stream()
        .map(
            method ->
                method.get("name")
                    + "("
                    + String.join(",", strings(method.get("parameterTypes")))
                    + ")")
        .toList();
  }

  @SuppressWarnings("unchecked") // the form of the file
  private static List<Map<String, Object>> parts(Map<String, Object> type, String name) {
    return (List<Map<String, Object>>) type.getOrDefault(name, List.of());
  }

  @SuppressWarnings("unchecked") // the form of the file
  private static List<String> strings(Object list) {
    return (List<String>) list;
  }
}
