package dev.headrace.benchmarks.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WrongContentException;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads, writes and scans of one node's store on one thread, beside a concurrent map of encoded
 * values. One scan copies all entries, so entries per second are its score times {@code entries}.
 */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class StoreBenchmark extends ForkedBenchmark {

  private static final int ORDER = 1 << 20;

  /** What holds the entries: {@code store} or {@code map}. */
  @Param({"store", "map"})
  String holder;

  /** Number of entries. */
  @Param("1000000")
  int entries;

  /** Length of each value. */
  @Param("100")
  int valueBytes;

  /** Whether everything was put in its best order after loading; a map has none. */
  @Param({"false", "true"})
  boolean compacted;

  private Holder held;
  private String[] keys;
  private byte[] value;
  private int[] order;
  private int next;

  /** Loads the entries. */
  @Setup(Level.Trial)
  public void load() {
    held = Holder.of(holder);
    Entries content = new Entries(entries, valueBytes);
    keys = new String[entries];
    for (int i = 0; i < entries; i++) {
      // A map keeps its keys, so every key is one of its own.
      keys[i] = content.key(i);
      held.put(new String(keys[i].getBytes(ISO_8859_1), ISO_8859_1), content.value(i));
    }
    if (compacted) {
      held.compact();
    }
    value = content.value(0);
    order = new Random(5).ints(ORDER, 0, entries).toArray();
  }

  private String nextKey() {
    next = (next + 1) & (ORDER - 1);
    return keys[order[next]];
  }

  /** Looks a random key up and decodes its value. */
  @Benchmark
  public byte[] get() {
    return held.get(nextKey());
  }

  /** Replaces the value of a random key. */
  @Benchmark
  public void put() {
    value[next % value.length]++;
    held.put(nextKey(), value);
  }

  /** Copies all entries into a reused buffer. */
  @Benchmark
  public long scan() {
    long scanned = held.scan();
    if (scanned != entries) {
      throw new WrongContentException(scanned + " of " + entries + " entries were scanned");
    }
    return scanned;
  }
}
