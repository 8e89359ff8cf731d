package dev.headrace.benchmarks.bulk;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.NodeSettings;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.MeetingFolder;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.node.HeadraceNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Data nodes and one of capacity 0 in this JVM, and the calls that are measured on them. */
final class BulkCluster implements AutoCloseable {

  /** Where calls come from. */
  static final List<String> VANTAGES = List.of("data_node", "client");

  /** One operation per key, all under way together; and the bulk method. */
  static final List<String> METHODS = List.of("gets", "getAll", "puts", "putAll");

  private static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("bench", String.class, byte[].class);

  private static final Entries ENTRIES = new Entries(50_000, 100);
  private static final int SELECTIONS = 32;
  private static final Logger NODES = Logger.getLogger("dev.headrace");

  private final String name = "bulk-" + UUID.randomUUID().toString().substring(0, 8);
  private final MeetingFolder folder = new MeetingFolder("headrace-bulk");
  private final List<HeadraceNode> nodes = new ArrayList<>();
  private final List<Map<String, byte[]>> selections = new ArrayList<>();
  private final Cache<String, byte[]> dataNode;
  private final Cache<String, byte[]> client;
  private int calls;

  /**
   * Starts the nodes and loads a cache.
   *
   * @param keys how many keys a call has
   */
  BulkCluster(int dataNodes, int keys) {
    for (int i = 0; i <= dataNodes; i++) {
      nodes.add(start(i, i < dataNodes ? 1 : 0));
    }
    Waiting.until(
        "all nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.status().members().size() == dataNodes + 1));
    dataNode = nodes.get(0).cache(CACHE);
    client = nodes.get(dataNodes).cache(CACHE);
    load();
    Random random = new Random(1);
    for (int i = 0; i < SELECTIONS; i++) {
      selections.add(selection(random, keys));
    }
  }

  private HeadraceNode start(int number, int capacity) {
    return HeadraceNode.start(
        NodeSettings.builder()
            .clusterName(name)
            .nodeName("node-" + number)
            .capacity(capacity)
            .discovery(folder.discovery())
            .build());
  }

  private void load() {
    Map<String, byte[]> all = new HashMap<>();
    for (int i = 0; i < ENTRIES.count(); i++) {
      all.put(ENTRIES.key(i), ENTRIES.value(i));
    }
    dataNode.putAll(all);
  }

  private static Map<String, byte[]> selection(Random random, int keys) {
    Map<String, byte[]> selection = new HashMap<>();
    while (selection.size() < keys) {
      int entry = random.nextInt(ENTRIES.count());
      selection.put(ENTRIES.key(entry), ENTRIES.value(entry));
    }
    return selection;
  }

  /** One call of a method. */
  void call(String method, String from) {
    Cache<String, byte[]> cache = from.equals("client") ? client : dataNode;
    Map<String, byte[]> entries = selections.get(calls++ % SELECTIONS);
    switch (method) {
      case "gets" -> check(gets(cache, entries), entries);
      case "getAll" -> check(cache.getAll(entries.keySet()), entries);
      case "puts" -> puts(cache, entries);
      case "putAll" -> cache.putAll(entries);
      default -> throw new IllegalArgumentException("There is no method " + method);
    }
  }

  private static void check(Map<String, byte[]> found, Map<String, byte[]> entries) {
    if (found.size() != entries.size()) {
      throw new IllegalStateException(found.size() + " of " + entries.size() + " were found");
    }
  }

  private static Map<String, byte[]> gets(
      Cache<String, byte[]> cache, Map<String, byte[]> entries) {
    Map<String, CompletableFuture<byte[]>> asked = new HashMap<>();
    for (String key : entries.keySet()) {
      asked.put(key, cache.async().get(key));
    }
    Map<String, byte[]> found = new HashMap<>();
    asked.forEach((key, value) -> found.put(key, value.join()));
    return found;
  }

  private static void puts(Cache<String, byte[]> cache, Map<String, byte[]> entries) {
    List<CompletableFuture<?>> written = new ArrayList<>();
    entries.forEach((key, value) -> written.add(cache.async().put(key, value)));
    written.forEach(CompletableFuture::join);
  }

  @Override
  public void close() {
    // Nobody is left to take over: leaving one by one would move everything once more. Those that
    // are left for a moment would say that they miss the others.
    NODES.setLevel(Level.OFF);
    nodes.forEach(HeadraceNode::kill);
    folder.close();
  }
}
