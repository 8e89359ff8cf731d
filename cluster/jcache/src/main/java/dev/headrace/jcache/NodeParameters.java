package dev.headrace.jcache;

import dev.headrace.api.ConfigurationKey;
import dev.headrace.api.NodeConfiguration;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RetainedChanges;
import dev.headrace.api.error.HeadraceException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * The node of a manager, as its URI and properties describe it: {@code
 * headrace:CLUSTER?name=value&name=value}. Names are the keys of {@link NodeConfiguration}, shorter
 * names of some, and {@code serialFilter}. A property {@code headrace.NAME} counts more than the
 * URI.
 *
 * @param cluster the cluster's name; null for a node that meets nobody
 * @param values the parameters by their keys
 */
record NodeParameters(@Nullable String cluster, Map<String, String> values) {

  /** A node of its own. */
  static final URI ALONE = URI.create("headrace:alone");

  private static final String SCHEME = "headrace";
  private static final String PREFIX = "headrace.";

  /** What the URI names in its own way. */
  private static final String CLUSTER = "clusterName";

  private static final String SECRET = "secret";

  /** Which classes may be read beside those that a cache's types allow. */
  private static final String SERIAL_FILTER = "serialFilter";

  private static final Map<String, String> SHORT_NAMES =
      Map.of(
          "folder", "discovery.folder",
          "hosts", "discovery.hosts",
          "previousValues", "retainedChanges.previousValues");

  private static final Pattern AND = Pattern.compile("&");

  private static final Set<String> NAMES = names();

  private static Set<String> names() {
    Set<String> names = new TreeSet<>(SHORT_NAMES.keySet());
    NodeConfiguration.keys().stream().map(ConfigurationKey::name).forEach(names::add);
    names.remove(CLUSTER);
    names.add(SERIAL_FILTER);
    return names;
  }

  /**
   * Reads a URI and properties.
   *
   * @throws CacheException if the URI has another scheme, or one of the two has a parameter that is
   *     unknown, there twice, or not for it
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
    Map<String, String> values = new HashMap<>();
    if (mark >= 0 && mark + 1 < all.length()) {
      AND.splitAsStream(all.substring(mark + 1)).forEach(each -> read(uri, each, values));
    }
    if (values.containsKey(SECRET)) {
      throw new CacheException(
          "A URI is shown to others, so it cannot have the secret: give it as the property "
              + PREFIX
              + SECRET
              + " of the CacheManager, or name its file by secretFile");
    }
    Map<String, String> own = new HashMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        put(name.substring(PREFIX.length()), properties.getProperty(name), own);
      }
    }
    values.putAll(own);
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
    String key = SHORT_NAMES.getOrDefault(name, name);
    if (values.put(key, value) != null) {
      throw new CacheException("The parameter " + key + " is there twice: remove one");
    }
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
    Map<String, String> ofNode = new HashMap<>(values);
    ofNode.remove(SERIAL_FILTER);
    try {
      return NodeConfiguration.of(node, ofNode, "A parameter of the CacheManager").build();
    } catch (HeadraceException | IllegalArgumentException e) {
      throw new CacheException("The node of the CacheManager cannot be made: " + e.getMessage(), e);
    }
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

  /** Tells no values, of which one may be a secret. */
  @Override
  public String toString() {
    return "NodeParameters[cluster=" + cluster + ", keys=" + new TreeSet<>(values.keySet()) + "]";
  }
}
