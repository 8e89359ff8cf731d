package dev.headrace.cluster.process.work;

import static dev.headrace.api.stream.operator.Expressions.field;

import dev.headrace.api.Cache;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams and counts entries that fit a condition, again and again, out of a cache that never
 * changes. Used by one thread at a time.
 */
final class ChosenEntries {
  private static final int ENTRIES = 600;
  private static final int LIMIT = 450;
  private static final int KINDS = 3;

  private final Cache<Integer, Order> cache;
  private final Consumer<String> violations;
  private final BitSet wanted = new BitSet(ENTRIES);
  private long found;

  /** A value with fields that conditions look at. */
  record Order(String kind, int number) {}

  /** Fills the cache. Others may do the same. */
  ChosenEntries(Cache<Integer, Order> cache, Consumer<String> violations) {
    this.cache = cache;
    this.violations = violations;
    Map<Integer, Order> orders = new HashMap<>();
    for (int number = 0; number < ENTRIES; number++) {
      orders.put(number, order(number));
      wanted.set(number, number % KINDS == 0 && number < LIMIT);
    }
    cache.putAll(orders);
  }

  private static Order order(int number) {
    return new Order("kind " + number % KINDS, number);
  }

  private CacheStream<Integer, Order> chosen() {
    return cache.stream()
        .batchSize(50)
        .filter(field("kind").eq("kind 0").and(field("number").lt(LIMIT)));
  }

  /** Streams once, and counts once. */
  void turn() {
    BitSet seen = new BitSet(ENTRIES);
    CacheStream<Integer, Order> stream = chosen();
    while (stream != null) {
      stream = streamed(stream, seen);
    }
    if (!seen.equals(wanted)) {
      seen.xor(wanted);
      violations.accept("A condition has missed " + seen);
    }
    try {
      long counted = chosen().count().get();
      if (counted != wanted.cardinality()) {
        violations.accept("Of " + wanted.cardinality() + " entries a condition counts " + counted);
      }
    } catch (StreamInterruptedException e) {
      // It has no result, and so no wrong one.
    }
    found++;
  }

  /** Streams to the end, or tells how to go on. */
  private @Nullable CacheStream<Integer, Order> streamed(
      CacheStream<Integer, Order> stream, BitSet seen) {
    try {
      stream.entries().toFlowable().blockingForEach(entry -> check(entry, seen));
      return null;
    } catch (StreamInterruptedException e) {
      return chosen().resumeFrom(e.resumeToken());
    }
  }

  private void check(Map.Entry<Integer, Order> entry, BitSet seen) {
    int number = entry.getKey();
    if (!wanted.get(number) || seen.get(number) || !entry.getValue().equals(order(number))) {
      violations.accept("A condition has found " + entry + ", which was not wanted, or came twice");
    }
    seen.set(number);
  }

  /** How many times everything was found. */
  long times() {
    return found;
  }
}
