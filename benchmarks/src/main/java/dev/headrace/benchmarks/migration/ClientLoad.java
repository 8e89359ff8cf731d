package dev.headrace.benchmarks.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.api.Cache;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes of random keys at a moderate rate while something else goes on, each noted with
 * its segment, its begin and its end.
 *
 * <p>A moderate rate, because a saturated machine shows the length of its own queues. Started and
 * stopped by one thread, and read after the stop.
 */
final class ClientLoad implements AutoCloseable {

  private static final long PAUSE_NANOS = 1_000_000;

  /** One finished operation. */
  record Timing(boolean write, int segment, long beginNanos, long endNanos) {
    long nanos() {
      return endNanos - beginNanos;
    }
  }

  private final Entries entries;
  private final HashSpace space;
  private final List<Client> clients = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /**
   * Starts the load.
   *
   * @param caches the nodes that operations start from, in turn
   * @param space tells the segment of a key
   * @param threads so many read, and so many write
   */
  ClientLoad(List<Cache<String, byte[]>> caches, Entries entries, HashSpace space, int threads) {
    this.entries = entries;
    this.space = space;
    for (int i = 0; i < 2 * threads; i++) {
      clients.add(new Client(i % 2 == 0, caches.get(i / 2 % caches.size()), i));
    }
    clients.forEach(Thread::start);
  }

  /**
   * Ends the load.
   *
   * @throws IllegalStateException if an operation failed or a read found nothing
   */
  @Override
  public void close() {
    stopped = true;
    for (Client client : clients) {
      try {
        client.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    Throwable cause = failure.get();
    if (cause != null) {
      throw new IllegalStateException("An operation failed while segments moved", cause);
    }
  }

  /** All operations, in no order. */
  List<Timing> timings() {
    List<Timing> all = new ArrayList<>();
    clients.forEach(client -> client.addTo(all));
    return all;
  }

  /** One thread and what it has noted. */
  private final class Client extends Thread {
    private static final int FIRST_LENGTH = 1 << 16;

    private final boolean writes;
    private final Cache<String, byte[]> cache;
    private final SplittableRandom random;
    private long[] times = new long[FIRST_LENGTH]; // begin and end
    private int[] segments = new int[FIRST_LENGTH / 2];
    private int count;

    Client(boolean writes, Cache<String, byte[]> cache, int seed) {
      super("client-" + seed);
      this.writes = writes;
      this.cache = cache;
      this.random = new SplittableRandom(seed);
    }

    @Override
    public void run() {
      byte[] value = entries.value(0);
      try {
        while (!stopped) {
          operate(entries.key(random.nextInt(entries.count())), value);
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      } catch (RuntimeException | Error e) { // the thread that stops the load throws it
        failure.compareAndSet(null, e);
      }
    }

    private void operate(String key, byte[] value) {
      long beginNanos = System.nanoTime();
      if (writes) {
        cache.put(key, value);
      } else if (cache.get(key) == null) {
        throw new IllegalStateException("The key " + key + " is lost");
      }
      note(key, beginNanos, System.nanoTime());
    }

    private void note(String key, long beginNanos, long endNanos) {
      if (count == segments.length) {
        times = Arrays.copyOf(times, 2 * times.length);
        segments = Arrays.copyOf(segments, 2 * segments.length);
      }
      times[2 * count] = beginNanos;
      times[2 * count + 1] = endNanos;
      segments[count++] = space.segment(space.hash(key.getBytes(UTF_8)));
    }

    void addTo(List<Timing> all) {
      for (int i = 0; i < count; i++) {
        all.add(new Timing(writes, segments[i], times[2 * i], times[2 * i + 1]));
      }
    }
  }
}
