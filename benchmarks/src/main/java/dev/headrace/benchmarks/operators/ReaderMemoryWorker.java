package dev.headrace.benchmarks.operators;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import dev.headrace.cluster.node.HeadraceNode;
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The main class of two forks: a node that holds entries, with the commands {@code hold}, which
 * tells its port, and {@code fill from count entries}; and a member without data, with the command
 * {@code read port entries}, which streams all and tells the most heap that was live meanwhile.
 */
public final class ReaderMemoryWorker {

  private static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("bench", String.class, byte[].class);

  private static final int VALUE_BYTES = 10;

  /** So often the live heap is looked at in the course of a stream. */
  private static final int LOOKS = 10;

  private @Nullable HeadraceNode holder;

  private ReaderMemoryWorker() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Logger.getLogger("").setLevel(Level.WARNING);
    ReaderMemoryWorker worker = new ReaderMemoryWorker();
    Worker.serve(
        Map.of(
            "hold", message -> worker.hold(),
            "fill", worker::fill,
            "read", ReaderMemoryWorker::read));
    System.exit(0); // nothing that was left running must keep the fork alive
  }

  private HarnessMessage hold() {
    int port = LoopbackPorts.free(1)[0];
    holder = start("holder", port, port, 1);
    return HarnessMessage.of("holds").with("port", port);
  }

  private static HeadraceNode start(String name, int clusterPort, int port, int capacity) {
    return HeadraceNode.start(
        NodeSettings.builder()
            .clusterName("memory-" + clusterPort)
            .nodeName(name)
            .bindAddress("127.0.0.1")
            .membershipPort(port)
            .discovery(Discovery.hosts("127.0.0.1:" + clusterPort))
            .capacity(capacity)
            .build());
  }

  private HarnessMessage fill(HarnessMessage message) {
    if (holder == null) {
      throw new IllegalStateException("No node runs here: send \"hold\" first");
    }
    Entries entries = new Entries(message.whole("entries"), VALUE_BYTES);
    long failed =
        holder
            .cache(CACHE)
            .sink()
            .load(
                Flowable.range(message.whole("from"), message.whole("count"))
                    .map(i -> Map.entry(entries.key(i), entries.value(i))))
            .join()
            .failed();
    if (failed > 0) {
      throw new IllegalStateException(failed + " entries could not be loaded");
    }
    return HarnessMessage.of("filled");
  }

  private static HarnessMessage read(HarnessMessage message) {
    int entries = message.whole("entries");
    int read = 0;
    long mostLive = 0;
    try (HeadraceNode node = start("reader", message.whole("port"), LoopbackPorts.free(1)[0], 0)) {
      Cache<String, byte[]> cache = node.cache(CACHE);
      try (CloseableIterator<?> all = cache.stream().entries().iterator()) {
        while (all.hasNext()) {
          all.next();
          if (++read % Math.max(1, entries / LOOKS) == 0) {
            mostLive = Math.max(mostLive, liveBytes());
          }
        }
      }
    }
    if (read != entries) {
      throw new WrongContentException(read + " of " + entries + " entries came");
    }
    return HarnessMessage.of("read").with("live", mostLive);
  }

  private static long liveBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
