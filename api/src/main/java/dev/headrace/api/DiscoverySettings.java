package dev.headrace.api;

import dev.headrace.api.ConfigurationSource.Setting;
import dev.headrace.api.error.ConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** How nodes find each other, made of the settings whose keys begin with discovery. Stateless. */
final class DiscoverySettings {
  private static final ConfigurationKey KIND =
      new ConfigurationKey("discovery", "local, hosts, multicast, dns or kubernetes");

  static final List<ConfigurationKey> KEYS =
      List.of(
          KIND,
          new ConfigurationKey("discovery.folder", "an absolute path"),
          new ConfigurationKey("discovery.hosts", "a list host:port,host:port"),
          new ConfigurationKey("discovery.address", "a multicast address"),
          new ConfigurationKey("discovery.query", "a DNS name"),
          new ConfigurationKey("discovery.namespace", "a namespace of Kubernetes"),
          new ConfigurationKey("discovery.labels", "labels of pods, as in app=cache,tier=data"),
          new ConfigurationKey("discovery.port", "a port"));

  /** The parts that each kind has; all of them must be given, but for the folder. */
  private static final Map<String, Set<String>> PARTS =
      Map.of(
          "local", Set.of("folder"),
          "hosts", Set.of("hosts"),
          "multicast", Set.of("address", "port"),
          "dns", Set.of("query", "port"),
          "kubernetes", Set.of("namespace", "labels", "port"));

  private DiscoverySettings() {}

  /**
   * Adds them to a builder, if there are any.
   *
   * @throws ConfigurationException if they do not fit together
   */
  static void of(ConfigurationSource source, NodeSettings.Builder builder) {
    Map<String, String> texts = new HashMap<>();
    for (ConfigurationKey key : KEYS) {
      NodeConfiguration.apply(
          source,
          key,
          text -> {
            checkText(key, text);
            texts.put(key.name(), text);
          });
    }
    if (texts.isEmpty()) {
      return;
    }
    String kind = kind(texts);
    checkParts(source, texts, kind);
    builder.discovery(make(kind, texts));
  }

  private static void checkText(ConfigurationKey key, String text) {
    boolean fits =
        switch (key.name()) {
          case "discovery" -> PARTS.containsKey(text.toLowerCase(Locale.ROOT));
          case "discovery.hosts" ->
              ConfigurationText.list(text).stream().allMatch(host -> host.matches(".+:[0-9]{1,5}"));
          case "discovery.labels" -> !ConfigurationText.labels(text).isEmpty();
          case "discovery.port" -> Integer.parseInt(text) > 0 && Integer.parseInt(text) <= 65535;
          default -> !text.isEmpty();
        };
    if (!fits) {
      throw new IllegalArgumentException(text);
    }
  }

  /** The kind that is named, or else the one that has the parts. */
  private static String kind(Map<String, String> texts) {
    String named = texts.get("discovery");
    if (named != null) {
      return named.toLowerCase(Locale.ROOT);
    }
    return texts.containsKey("discovery.hosts")
        ? "hosts"
        : texts.containsKey("discovery.address")
            ? "multicast"
            : texts.containsKey("discovery.query")
                ? "dns"
                : texts.containsKey("discovery.namespace") ? "kubernetes" : "local";
  }

  private static void checkParts(
      ConfigurationSource source, Map<String, String> texts, String kind) {
    Set<String> parts = PARTS.getOrDefault(kind, Set.of());
    for (String key : texts.keySet()) {
      Setting setting = source.find(key);
      if (setting != null
          && !key.equals("discovery")
          && !parts.contains(key.substring("discovery.".length()))) {
        throw setting.wrong(key + " is not for discovery = " + kind);
      }
    }
    for (String part : parts) {
      String key = "discovery." + part;
      if (!texts.containsKey(key) && !kind.equals("local")) {
        throw any(source).wrong("discovery = " + kind + " needs " + key);
      }
    }
  }

  private static Setting any(ConfigurationSource source) {
    return KEYS.stream()
        .map(key -> source.find(key.name()))
        .filter(setting -> setting != null)
        .findFirst()
        .orElseThrow();
  }

  private static Discovery make(String kind, Map<String, String> texts) {
    int port = Integer.parseInt(text(texts, "port", "0"));
    return switch (kind) {
      case "hosts" -> new Discovery.Hosts(ConfigurationText.list(text(texts, "hosts", "")));
      case "multicast" -> new Discovery.Multicast(text(texts, "address", ""), port);
      case "dns" -> new Discovery.Dns(text(texts, "query", ""), port);
      case "kubernetes" ->
          new Discovery.Kubernetes(
              text(texts, "namespace", ""),
              ConfigurationText.labels(text(texts, "labels", "")),
              port);
      default -> new Discovery.Local(text(texts, "folder", ""));
    };
  }

  private static String text(Map<String, String> texts, String part, String otherwise) {
    String text = texts.get("discovery." + part);
    return text == null ? otherwise : text;
  }
}
