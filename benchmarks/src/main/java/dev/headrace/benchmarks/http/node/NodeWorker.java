package dev.headrace.benchmarks.http.node;

import com.sun.management.OperatingSystemMXBean;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import dev.headrace.benchmarks.peer.Waiting;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a node's fork. Its commands are {@code start} with a {@link NodePlace}, {@code
 * cpu}, which tells the CPU time of the process, {@code compilation}, which tells that of its
 * compilers, and of Headrace's nodes {@code fill from count valueBytes}, {@code entries}, {@code
 * heap}, {@code watch}, which tells the most heap during the next export, and {@code queue} and
 * {@code queued millis}, which begin to look at what the port holds for a stream and tell the most
 * of it over a time.
 */
public final class NodeWorker {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final Logger NODES = Logger.getLogger("dev.headrace");
  private static final int LOOK_MILLIS = 250;
  private static final int WATCH_MILLIS = 100;

  /** A node must have found out in this time that a reader stands still. */
  private static final int SETTLE_MILLIS = 1_000;

  private @Nullable ProxyNode proxy;
  private @Nullable CacheNode cache;
  private @Nullable QueuedBytes queued;

  private NodeWorker() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    NodeWorker worker = new NodeWorker();
    Worker.serve(
        Map.of(
            "start", worker::start,
            "cpu", message -> HarnessMessage.of("cpu").with("nanos", SYSTEM.getProcessCpuTime()),
            "compilation", message -> compilation(),
            "fill", worker::fill,
            "entries", message -> HarnessMessage.of("is").with("count", worker.cache().entries()),
            "watch", message -> worker.watch(),
            "heap", message -> HarnessMessage.of("is").with("bytes", CacheNode.heapBytes()),
            "queue", message -> worker.queue(),
            "queued", worker::queued));
    worker.close();
    System.exit(0); // a system that left a thread behind must not keep the fork alive
  }

  private HarnessMessage start(HarnessMessage message) {
    NodePlace place = NodePlace.of(message);
    switch (message.text("system")) {
      case "headrace" -> cache = new CacheNode(place);
      case "proxy" -> proxy = new ProxyNode(place);
      default -> throw new IllegalArgumentException("There is no system " + message.text("system"));
    }
    return HarnessMessage.of("started");
  }

  private static HarnessMessage compilation() {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    return HarnessMessage.of("is").with("millis", compilers.getTotalCompilationTime());
  }

  private CacheNode cache() {
    if (cache == null) {
      throw new IllegalStateException("No node of Headrace runs here: send \"start\" first");
    }
    return cache;
  }

  private HarnessMessage fill(HarnessMessage message) {
    cache().fill(message.whole("from"), message.whole("count"), message.whole("valueBytes"));
    return HarnessMessage.of("filled");
  }

  /** The next export must begin within a minute. */
  private HarnessMessage watch() throws InterruptedException {
    CacheNode node = cache();
    Waiting.until("an export to begin", () -> node.streams() > 0);
    long most = 0;
    int samples = 0;
    do {
      most = Math.max(most, CacheNode.heapBytes());
      samples++;
      Waiting.pass(WATCH_MILLIS); // the export is to go on, too
    } while (node.streams() > 0);
    return HarnessMessage.of("watched").with("most", most).with("samples", samples);
  }

  private HarnessMessage queue() {
    queued = cache().queued();
    return HarnessMessage.of("queueing");
  }

  private HarnessMessage queued(HarnessMessage message) throws IOException, InterruptedException {
    QueuedBytes figures = queued;
    if (figures == null) {
      throw new IllegalStateException("Send \"queue\" before the export begins");
    }
    long end = System.nanoTime() + message.whole("millis") * 1_000_000L;
    Waiting.pass(SETTLE_MILLIS);
    long most = 0;
    int pausedLooks = 0;
    int looks = 0;
    while (System.nanoTime() - end < 0) {
      QueuedBytes.Look look = figures.look();
      most = Math.max(most, look.bytes());
      looks++;
      pausedLooks += look.paused() ? 1 : 0;
      Waiting.pass(LOOK_MILLIS);
    }
    return HarnessMessage.of("is")
        .with("most", most)
        .with("looks", looks)
        .with("pausedLooks", pausedLooks);
  }

  private void close() {
    NODES.setLevel(Level.OFF); // the others have gone, too
    if (cache != null) {
      cache.close();
    }
    if (proxy != null) {
      proxy.close();
    }
  }
}
