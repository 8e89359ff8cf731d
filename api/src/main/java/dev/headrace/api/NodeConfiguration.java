package dev.headrace.api;

import dev.headrace.api.ConfigurationSource.Setting;
import dev.headrace.api.error.ConfigurationException;
import dev.headrace.api.error.PlacementException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a node from a file, from environment variables or from texts that a program has, for
 * all that {@link NodeSettings.Builder} can set except functions and placements of one's own.
 * Stateless.
 *
 * <p>A file is in UTF-8 and has lines {@code key = value}; empty lines and those that begin with #
 * say nothing. An environment variable counts more than a file, and what a program sets on the
 * builder counts most. {@link #keys} lists what there is. The file may have the settings of {@link
 * #SECTIONS}, too, which are read with these.
 */
public final class NodeConfiguration {
  /** The environment variable that names the file. */
  public static final String FILE_VARIABLE = "HEADRACE_CONFIG";

  /**
   * What keys of settings that are not the node's begin with, before a dot: {@code http} for the
   * HTTP port. They may stand in the same file.
   */
  public static final Set<String> SECTIONS = Set.of("http");

  private static final int ALIKE = 3;
  private static final String BYTES = "a number of bytes such as 1000, 512MB or 2GiB";
  static final String TIME = "a time such as 100us, 15s, 5min, 2h or PT15S";
  private static final String COUNT = "a whole number";
  private static final String PORT = "a port, or 0 for a free one";
  private static final String TRUTH = "true or false";
  private static final String TEXT = "a text";

  /** Settings of which one is chosen, each with all that belong to the choice. */
  private static final Map<Set<String>, Set<String>> ALTERNATIVES =
      Map.of(
          Set.of(
              "discovery",
              "discovery.hosts",
              "discovery.address",
              "discovery.query",
              "discovery.namespace"),
          DiscoverySettings.KEYS.stream()
              .map(ConfigurationKey::name)
              .collect(Collectors.toUnmodifiableSet()),
          Set.of("secret", "secretFile"),
          Set.of("secret", "secretFile"));

  private static final Map<ConfigurationKey, BiConsumer<NodeSettings.Builder, String>> SINGLE =
      single();

  private NodeConfiguration() {}

  // checkstyle: off MethodLength because it is one list
  private static Map<ConfigurationKey, BiConsumer<NodeSettings.Builder, String>> single() {
    Map<ConfigurationKey, BiConsumer<NodeSettings.Builder, String>> all = new LinkedHashMap<>();
    add(all, "clusterName", TEXT, NodeSettings.Builder::clusterName);
    add(all, "nodeName", TEXT, NodeSettings.Builder::nodeName);
    add(all, "bindAddress", "a host name or an address", NodeSettings.Builder::bindAddress);
    add(all, "membershipPort", PORT, (to, text) -> to.membershipPort(Integer.parseInt(text)));
    add(all, "dataPort", PORT, (to, text) -> to.dataPort(Integer.parseInt(text)));
    add(all, "capacity", "a number", (to, text) -> to.capacity(Double.parseDouble(text)));
    add(all, "zone", TEXT, NodeSettings.Builder::zone);
    add(all, "segments", COUNT, (to, text) -> to.segments(Integer.parseInt(text)));
    add(all, "owners", COUNT, (to, text) -> to.owners(Integer.parseInt(text)));
    add(
        all,
        "placement",
        "the name of a placement, such as maglev:1.25",
        NodeSettings.Builder::placement);
    add(all, "minOwners", COUNT, (to, text) -> to.minOwners(Integer.parseInt(text)));
    add(
        all,
        "splitPolicy",
        "deny or allow",
        (to, text) -> to.splitPolicy(ConfigurationText.splitPolicy(text)));
    add(
        all,
        "lostSegments",
        "wait, ended, a time such as 60s, or both as in ended,60s",
        (to, text) -> to.lostSegments(ConfigurationText.lostSegments(text)));
    add(all, "hashSeed", COUNT, (to, text) -> to.hashSeed(Long.parseLong(text)));
    add(
        all,
        "operationTimeout",
        TIME,
        (to, text) -> to.operationTimeout(ConfigurationText.duration(text)));
    add(all, "joinTimeout", TIME, (to, text) -> to.joinTimeout(ConfigurationText.duration(text)));
    add(
        all,
        "maxEntryBytes",
        BYTES,
        (to, text) -> to.maxEntryBytes(ConfigurationText.intBytes(text)));
    add(all, "busyPoll", TIME, (to, text) -> to.busyPoll(ConfigurationText.duration(text)));
    add(all, "operationLoops", COUNT, (to, text) -> to.operationLoops(Integer.parseInt(text)));
    add(all, "bulkLoops", COUNT, (to, text) -> to.bulkLoops(Integer.parseInt(text)));
    add(
        all,
        "repairInterval",
        TIME + ", 0 for only on demand",
        (to, text) -> to.repairInterval(ConfigurationText.duration(text)));
    add(
        all,
        "repairBytesPerSecond",
        BYTES,
        (to, text) -> to.repairBytesPerSecond(ConfigurationText.bytes(text)));
    add(
        all,
        "streamMemoryBytes",
        BYTES,
        (to, text) -> to.streamMemoryBytes(ConfigurationText.bytes(text)));
    add(all, "memoryBytes", BYTES, (to, text) -> to.memoryBytes(ConfigurationText.bytes(text)));
    add(all, "shutdownHook", TRUTH, (to, text) -> to.shutdownHook(ConfigurationText.truth(text)));
    add(
        all,
        "shutdownTimeout",
        TIME,
        (to, text) -> to.shutdownTimeout(ConfigurationText.duration(text)));
    add(
        all,
        "requireSecurity",
        TRUTH,
        (to, text) -> to.requireSecurity(ConfigurationText.truth(text)));
    return all;
  }

  private static void add(
      Map<ConfigurationKey, BiConsumer<NodeSettings.Builder, String>> all,
      String name,
      String allowed,
      BiConsumer<NodeSettings.Builder, String> setter) {
    all.put(new ConfigurationKey(name, allowed), setter);
  }

  /** All keys, in the order of the guide. */
  public static List<ConfigurationKey> keys() {
    List<ConfigurationKey> keys = new ArrayList<>(SINGLE.keySet());
    keys.add(new ConfigurationKey("retainedChanges", BYTES + ", 0 for none"));
    keys.add(new ConfigurationKey("retainedChanges.previousValues", TRUTH));
    keys.addAll(DiscoverySettings.KEYS);
    keys.addAll(SecuritySettings.KEYS);
    return List.copyOf(keys);
  }

  /**
   * Settings from a file, and from the environment of this process.
   *
   * @return a builder that starts from them
   * @throws ConfigurationException if the file has a setting that does not exist, or if a value is
   *     wrong; the message names the file, the line, the key and what is allowed
   * @throws dev.headrace.api.error.HeadraceException if the file cannot be read
   */
  public static NodeSettings.Builder read(Path file) {
    return of(NodeSettings.builder(), file, System::getenv);
  }

  /**
   * Settings from the environment of this process, and from the file that {@link #FILE_VARIABLE}
   * names there, if it does.
   *
   * @return as above
   * @throws ConfigurationException as above
   */
  public static NodeSettings.Builder environment() {
    String file = System.getenv(FILE_VARIABLE);
    boolean none = file == null || file.isBlank();
    return of(NodeSettings.builder(), none ? null : Path.of(file), System::getenv);
  }

  /**
   * Settings from a file and an environment.
   *
   * @param builder has what neither of them sets, and gets what they set
   * @param file null for none
   * @param environment finds the value of an environment variable, null if it is not set
   * @return the builder
   * @throws ConfigurationException as above
   */
  public static NodeSettings.Builder of(
      NodeSettings.Builder builder,
      @Nullable Path file,
      Function<String, @Nullable String> environment) {
    ConfigurationSource source = new ConfigurationSource();
    if (file != null) {
      source.add(file);
      checkKnown(
          source.all().stream().filter(setting -> !isOfSection(setting.key())).toList(), keys());
      ALTERNATIVES.forEach((chosen, all) -> replace(source, chosen, all, environment));
    }
    source.add(keys(), environment);
    return applyAll(source, builder);
  }

  /**
   * Settings from texts that a program has from elsewhere, such as a URI; of the environment
   * nothing counts.
   *
   * @param builder has what the texts do not set, and gets what they set
   * @param texts values by their keys; see {@link #keys}
   * @param source what messages call the place that the texts are from
   * @return the builder
   * @throws ConfigurationException if there is no setting of a key, or a value is wrong; the
   *     message names the source, the key and what is allowed
   */
  public static NodeSettings.Builder of(
      NodeSettings.Builder builder, Map<String, String> texts, String source) {
    ConfigurationSource settings = new ConfigurationSource();
    settings.add(texts, source);
    checkKnown(settings.all(), keys());
    return applyAll(settings, builder);
  }

  private static NodeSettings.Builder applyAll(
      ConfigurationSource source, NodeSettings.Builder builder) {
    SINGLE.forEach((key, setter) -> apply(source, key, text -> setter.accept(builder, text)));
    DiscoverySettings.of(source, builder);
    SecuritySettings.of(source, builder);
    NodeSettings others = checkRanges(source, builder);
    retainedChanges(source, others.retainedChanges(), builder);
    return builder;
  }

  /** What the environment chooses takes the place of all that the file says about the choice. */
  private static void replace(
      ConfigurationSource source,
      Set<String> chosen,
      Set<String> all,
      Function<String, @Nullable String> environment) {
    for (String name : chosen) {
      String value = environment.apply(new ConfigurationKey(name, "").variable());
      if (value != null && !value.isBlank()) {
        source.forget(all);
      }
    }
  }

  /**
   * Reads a setting.
   *
   * @throws ConfigurationException if its text is wrong
   */
  static void apply(ConfigurationSource source, ConfigurationKey key, Consumer<String> set) {
    Setting setting = source.find(key.name());
    if (setting == null) {
      return;
    }
    try {
      set.accept(setting.value());
    } catch (PlacementException e) {
      throw setting.wrong(key.name() + ": " + e.getMessage());
    } catch (IllegalArgumentException | ArithmeticException e) { // all that parsers throw
      throw setting.wrong(
          key.name() + " must be " + key.allowed() + ", but is \"" + setting.value() + "\"");
    }
  }

  /** Each of the two keys leaves what the other one sets as it is. */
  private static void retainedChanges(
      ConfigurationSource source, RetainedChanges present, NodeSettings.Builder builder) {
    RetainedChanges[] changes = {present};
    apply(
        source,
        key("retainedChanges"),
        text ->
            changes[0] =
                new RetainedChanges(ConfigurationText.bytes(text), changes[0].previousValues()));
    apply(
        source,
        key("retainedChanges.previousValues"),
        text ->
            changes[0] = new RetainedChanges(changes[0].bytes(), ConfigurationText.truth(text)));
    builder.retainedChanges(changes[0]);
  }

  private static ConfigurationKey key(String name) {
    return keys().stream().filter(key -> key.name().equals(name)).findFirst().orElseThrow();
  }

  /** Checks that all settings together are in their ranges, and names the one that is not. */
  private static NodeSettings checkRanges(
      ConfigurationSource source, NodeSettings.Builder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      for (Setting setting : source.all()) {
        if (message.startsWith(setting.key() + " ")) {
          throw setting.wrong(message);
        }
      }
      throw e; // a setting that neither the file nor the environment has
    }
  }

  private static boolean isOfSection(String key) {
    return SECTIONS.stream().anyMatch(section -> key.startsWith(section + "."));
  }

  /**
   * Checks that all settings exist.
   *
   * @throws ConfigurationException if one does not
   */
  static void checkKnown(List<Setting> settings, List<ConfigurationKey> known) {
    List<String> names = known.stream().map(ConfigurationKey::name).toList();
    for (Setting setting : settings) {
      if (!names.contains(setting.key())) {
        String nearest = nearest(names, setting.key());
        throw setting.wrong(
            setting.key()
                + " is no setting"
                + (nearest.isEmpty()
                    ? "; there are " + String.join(", ", names)
                    : "; perhaps " + nearest + " is meant"));
      }
    }
  }

  /** The name that was probably meant; empty if none is like it. */
  private static String nearest(List<String> names, String written) {
    return names.stream()
        .filter(name -> name.startsWith(written) || changes(name, written) <= ALIKE)
        .min(Comparator.comparingInt(name -> changes(name, written)))
        .orElse("");
  }

  /** How many letters have to be added, left out or replaced to make one word of another. */
  private static int changes(String one, String other) {
    int[] before = new int[other.length() + 1];
    for (int j = 0; j < before.length; j++) {
      before[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] now = new int[before.length];
      now[0] = i;
      for (int j = 1; j < now.length; j++) {
        boolean same =
            Character.toLowerCase(one.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
        now[j] = Math.min(before[j - 1] + (same ? 0 : 1), 1 + Math.min(before[j], now[j - 1]));
      }
      before = now;
    }
    return before[other.length()];
  }
}
