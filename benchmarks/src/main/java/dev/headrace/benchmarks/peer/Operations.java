package dev.headrace.benchmarks.peer;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Meter;
import dev.headrace.benchmarks.harness.Throughput;
import java.util.concurrent.ThreadLocalRandom;

/** Measures single reads and writes of random keys from one member. */
final class Operations {

  /**
   * A thread looks at a fresh random number for each key, but at its own method only once per pass.
   */
  private static final int OPERATIONS_PER_PASS = 1000;

  private final View view;
  private final Entries entries;

  Operations(View view, Entries entries) {
    this.view = view;
    this.entries = entries;
  }

  /** Measures {@code get} or {@code put}, in operations per second. */
  HarnessMessage measure(String operation, int threads, Throughput.Schedule schedule)
      throws InterruptedException {
    double[] rates =
        switch (operation) {
          case "get" -> Throughput.measure(threads, schedule, this::gets);
          case "put" -> Throughput.measure(threads, schedule, this::puts);
          default -> throw new IllegalArgumentException("Unknown operation " + operation);
        };
    return HarnessMessage.of("measured").with("rates", rates);
  }

  private void gets(Meter meter) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < OPERATIONS_PER_PASS; i++) {
      String key = entries.key(random.nextInt(entries.count()));
      byte[] value = view.get(key);
      if (value == null || value.length != entries.valueBytes()) {
        throw new IllegalStateException("The key " + key + " is lost or has another value");
      }
      if (!meter.count()) {
        return;
      }
    }
  }

  private void puts(Meter meter) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    byte[] value = entries.value(random.nextInt(entries.count()));
    for (int i = 0; i < OPERATIONS_PER_PASS; i++) {
      view.put(entries.key(random.nextInt(entries.count())), value);
      if (!meter.count()) {
        return;
      }
    }
  }
}
