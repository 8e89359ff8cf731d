package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The cache of the tests of whole nodes, and what they put into it. */
final class Quotes {
  static final int ENTRIES = 30_000;

  private Quotes() {}

  static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    return entries;
  }

  static Cache<String, String> cache(Headrace node) {
    return node.cache("quotes", String.class, String.class);
  }

  static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("the condition is met in time").isLessThan(deadlineNanos);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
