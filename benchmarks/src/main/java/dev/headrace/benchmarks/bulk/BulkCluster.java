package dev.headrace.benchmarks.bulk;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.LocalNodes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Data nodes and one of capacity 0 in this JVM, and the calls that are measured on them. */
final class BulkCluster implements AutoCloseable {

  /** A node that holds segments. */
  static final String DATA_NODE = "data_node";

  /** The node that holds none. */
  static final String CLIENT = "client";

  /** Where calls come from. */
  static final List<String> VANTAGES = List.of(DATA_NODE, CLIENT);

  private static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("bench", String.class, byte[].class);

  private static final Entries ENTRIES = new Entries(50_000, 100);
  private static final int SELECTIONS = 32;

  private final LocalNodes nodes;
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
    nodes = new LocalNodes("bulk", dataNodes);
    dataNode = nodes.dataNode().cache(CACHE);
    client = nodes.client().cache(CACHE);
    load();
    Random random = new Random(1);
    for (int i = 0; i < SELECTIONS; i++) {
      selections.add(selection(random, keys));
    }
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

  private Cache<String, byte[]> cache(String from) {
    return from.equals(CLIENT) ? client : dataNode;
  }

  private Map<String, byte[]> nextSelection() {
    return selections.get(calls++ % SELECTIONS);
  }

  /** Reads each key by an operation of its own, all under way together. */
  Map<String, byte[]> gets(String from) {
    Cache<String, byte[]> cache = cache(from);
    Map<String, byte[]> entries = nextSelection();
    Map<String, CompletableFuture<byte[]>> asked = new HashMap<>();
    for (String key : entries.keySet()) {
      asked.put(key, cache.async().get(key));
    }
    Map<String, byte[]> found = new HashMap<>();
    asked.forEach((key, value) -> found.put(key, value.join()));
    return checked(found, entries);
  }

  /** Reads all keys by one operation. */
  Map<String, byte[]> getAll(String from) {
    Map<String, byte[]> entries = nextSelection();
    return checked(cache(from).getAll(entries.keySet()), entries);
  }

  private static Map<String, byte[]> checked(
      Map<String, byte[]> found, Map<String, byte[]> entries) {
    if (found.size() != entries.size()) {
      throw new WrongContentException(found.size() + " of " + entries.size() + " were found");
    }
    return found;
  }

  /** Writes each key by an operation of its own, all under way together. */
  void puts(String from) {
    Cache<String, byte[]> cache = cache(from);
    List<CompletableFuture<?>> written = new ArrayList<>();
    nextSelection().forEach((key, value) -> written.add(cache.async().put(key, value)));
    written.forEach(CompletableFuture::join);
  }

  /** Writes all keys by one operation. */
  void putAll(String from) {
    cache(from).putAll(nextSelection());
  }

  @Override
  public void close() {
    nodes.close();
  }
}
