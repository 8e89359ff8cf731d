package dev.headrace.jcache;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RetainedChanges;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * The node of a manager, as its URI and properties describe it: {@code
 * headrace:CLUSTER?name=value&name=value}. A property {@code headrace.NAME} counts more than the
 * URI.
 *
 * @param cluster the cluster's name; null for a node that meets nobody
 * @param values the parameters by their names
 */
record NodeParameters(@Nullable String cluster, Map<String, String> values) {

  /** A node of its own. */
  static final URI ALONE = URI.create("headrace:alone");

  private static final String SCHEME = "headrace";
  private static final String PREFIX = "headrace.";

  private static final String FOLDER = "folder";
  private static final String HOSTS = "hosts";

  /** Which classes may be read beside those that a cache's types allow. */
  private static final String SERIAL_FILTER = "serialFilter";

  private static final Pattern AND = Pattern.compile("&");
  private static final Pattern COMMA = Pattern.compile(",");

  private static final List<String> NAMES =
      List.of(
          "bindAddress",
          "capacity",
          "dataPort",
          FOLDER,
          HOSTS,
          "joinTimeoutSeconds",
          "membershipPort",
          "memoryBytes",
          "nodeName",
          "operationTimeoutSeconds",
          "owners",
          "previousValues",
          "segments",
          SERIAL_FILTER,
          "zone");

  /**
   * Reads a URI and properties.
   *
   * @throws CacheException if the URI has another scheme, or one of the two has an unknown
   *     parameter
   */
  static NodeParameters of(URI uri, Properties properties) {
    String all = uri.getRawSchemeSpecificPart();
    if (!SCHEME.equals(uri.getScheme()) || all.startsWith("/")) {
      throw new CacheException(
          uri
              + " is not the URI of a Headrace cluster: it has the form"
              + " headrace:CLUSTER?name=value");
    }
    int mark = all.indexOf('?');
    String cluster = decoded(mark < 0 ? all : all.substring(0, mark));
    Map<String, String> values = new TreeMap<>();
    if (mark >= 0 && mark + 1 < all.length()) {
      AND.splitAsStream(all.substring(mark + 1)).forEach(each -> read(uri, each, values));
    }
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        put(name.substring(PREFIX.length()), properties.getProperty(name), values);
      }
    }
    String named = ALONE.getSchemeSpecificPart().equals(cluster) ? null : cluster;
    return new NodeParameters(named, Map.copyOf(values));
  }

  private static void read(URI uri, String parameter, Map<String, String> values) {
    int equal = parameter.indexOf('=');
    if (equal < 0) {
      throw new CacheException(uri + " has a parameter without a value: " + parameter);
    }
    put(decoded(parameter.substring(0, equal)), decoded(parameter.substring(equal + 1)), values);
  }

  private static void put(String name, String value, Map<String, String> values) {
    if (!NAMES.contains(name)) {
      throw new CacheException(
          "There is no parameter "
              + name
              + " of a Headrace cluster; there are "
              + String.join(", ", NAMES));
    }
    values.put(name, value);
  }

  private static String decoded(String raw) {
    return raw.isEmpty() ? raw : URI.create("text:" + raw).getSchemeSpecificPart();
  }

  /**
   * The settings of the node.
   *
   * @throws CacheException if a parameter has a wrong value, or two contradict each other
   */
  NodeSettings settings() {
    NodeSettings.Builder node = NodeSettings.builder();
    if (cluster == null) {
      node.clusterName("jcache-" + UUID.randomUUID())
          .segments(64)
          .owners(1)
          .repairInterval(Duration.ZERO)
          .retainedChanges(RetainedChanges.defaults().withPreviousValues())
          .shutdownHook(false);
    } else {
      node.clusterName(cluster);
    }
    if (values.containsKey(FOLDER) && values.containsKey(HOSTS)) {
      throw new CacheException(
          "The nodes of a cluster are found in one way: keep one of folder and hosts, the same in"
              + " the URI and in the properties");
    }
    values.forEach((name, value) -> set(node, name, value));
    try {
      return node.build();
    } catch (IllegalArgumentException e) {
      throw new CacheException("A parameter of the cluster is wrong: " + e.getMessage(), e);
    }
  }

  private static void set(NodeSettings.Builder node, String name, String value) {
    try {
      switch (name) {
        case "bindAddress" -> node.bindAddress(value);
        case "capacity" -> node.capacity(Double.parseDouble(value));
        case "dataPort" -> node.dataPort(Integer.parseInt(value));
        case FOLDER -> node.discovery(new Discovery.Local(value));
        case HOSTS -> node.discovery(hosts(value));
        case "joinTimeoutSeconds" -> node.joinTimeout(seconds(value));
        case "membershipPort" -> node.membershipPort(Integer.parseInt(value));
        case "memoryBytes" -> node.memoryBytes(Long.parseLong(value));
        case "nodeName" -> node.nodeName(value);
        case "operationTimeoutSeconds" -> node.operationTimeout(seconds(value));
        case "owners" -> node.owners(Integer.parseInt(value));
        case "previousValues" -> node.retainedChanges(retained(value));
        case "segments" -> node.segments(Integer.parseInt(value));
        case "zone" -> node.zone(value);
        default -> {} // It is for the manager, not for its node.
      }
    } catch (IllegalArgumentException e) {
      throw new CacheException(
          "The parameter " + name + " of the cluster cannot be " + value + ": " + e.getMessage(),
          e);
    }
  }

  private static Discovery hosts(String list) {
    return new Discovery.Hosts(
        COMMA.splitAsStream(list).map(String::trim).filter(host -> !host.isEmpty()).toList());
  }

  private static RetainedChanges retained(String previousValues) {
    RetainedChanges without = RetainedChanges.defaults();
    return switch (previousValues) {
      case "true" -> without.withPreviousValues();
      case "false" -> without;
      default -> throw new IllegalArgumentException("it must be true or false");
    };
  }

  private static Duration seconds(String number) {
    return Duration.ofSeconds(Long.parseLong(number));
  }

  /**
   * Which classes may be read beside those that a cache's types allow.
   *
   * @return a pattern in the form of {@code jdk.serialFilter}; null for none
   */
  @Nullable String serialFilter() {
    String given = values.get(SERIAL_FILTER);
    return given == null ? System.getProperty(PREFIX + "jcache." + SERIAL_FILTER) : given;
  }
}
