package dev.headrace.benchmarks.store;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The main class of a fork that measures one holder on one thread. Its argument is {@code store} or
 * {@code map}.
 *
 * <p>Commands: {@code load entries bytes}, which answers with what the entries take; {@code
 * compact}; and {@code get}, {@code put}, {@code scan} with {@code windows} and {@code window},
 * which answer with the rates of all windows.
 */
public final class StoreWorker {

  private static final int COLLECTIONS = 3;
  private static final int OPERATIONS_PER_LOOK_AT_THE_CLOCK = 1000;

  private final Holder holder;
  private final Blackhole blackhole =
      new Blackhole(
          "Today's password is swordfish. I understand instantiating Blackholes directly is"
              + " dangerous.");
  private @Nullable Entries entries; // set by "load"
  private int[] order = {};
  private int nextInOrder;

  private StoreWorker(Holder holder) {
    this.holder = holder;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    StoreWorker worker =
        new StoreWorker(arguments[0].equals("store") ? new StoreHolder() : new MapHolder());
    Worker.serve(
        Map.of(
            "load", worker::load,
            "compact", worker::compact,
            "get", message -> worker.rates(message, worker::gets),
            "put", message -> worker.rates(message, worker::puts),
            "scan", message -> worker.rates(message, worker.holder::scan)));
  }

  private HarnessMessage load(HarnessMessage message) {
    Entries loaded = new Entries(message.whole("entries"), message.whole("bytes"));
    entries = loaded;
    order = new Random(5).ints(1 << 20, 0, loaded.count()).toArray();
    double before = heldBytes();
    for (int i = 0; i < loaded.count(); i++) {
      // A map keeps its keys, so every key is one of its own.
      byte[] characters = loaded.key(i).getBytes(StandardCharsets.ISO_8859_1);
      holder.put(new String(characters, StandardCharsets.ISO_8859_1), loaded.value(i));
    }
    return report(before);
  }

  private HarnessMessage compact(HarnessMessage message) {
    holder.compact();
    return report(heldBytes());
  }

  private HarnessMessage report(double heldBefore) {
    return HarnessMessage.of("done")
        .with("held", heldBytes() - heldBefore)
        .with("accounted", holder.accountedBytes());
  }

  /** What the heap holds after collections. */
  private static double heldBytes() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private HarnessMessage rates(HarnessMessage message, LongSupplier work) {
    double[] rates = new double[message.whole("windows")];
    long windowNanos = message.whole("window") * 1_000_000L;
    Arrays.setAll(rates, i -> rate(work, windowNanos));
    return HarnessMessage.of("done").with("rates", rates);
  }

  private static double rate(LongSupplier work, long windowNanos) {
    long begin = System.nanoTime();
    long done = 0;
    long nanos;
    do {
      done += work.getAsLong();
      nanos = System.nanoTime() - begin;
    } while (nanos < windowNanos);
    return done * 1e9 / nanos;
  }

  private long gets() {
    Entries all = loaded();
    for (int i = 0; i < OPERATIONS_PER_LOOK_AT_THE_CLOCK; i++) {
      blackhole.consume(holder.get(all.key(nextKey())));
    }
    return OPERATIONS_PER_LOOK_AT_THE_CLOCK;
  }

  private long puts() {
    Entries all = loaded();
    byte[] value = all.value(0);
    for (int i = 0; i < OPERATIONS_PER_LOOK_AT_THE_CLOCK; i++) {
      value[i % value.length]++;
      holder.put(all.key(nextKey()), value);
    }
    return OPERATIONS_PER_LOOK_AT_THE_CLOCK;
  }

  private int nextKey() {
    nextInOrder = (nextInOrder + 1) & (order.length - 1);
    return order[nextInOrder];
  }

  private Entries loaded() {
    if (entries == null) {
      throw new IllegalStateException("Nothing is loaded yet: send \"load\" first");
    }
    return entries;
  }
}
