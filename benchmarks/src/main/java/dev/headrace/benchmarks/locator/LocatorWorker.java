package dev.headrace.benchmarks.locator;

import com.sun.management.ThreadMXBean;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Worker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;

/**
 * The main class of a fork that measures one subject on one thread. Its arguments are the subject's
 * name, the number of nodes and the length of the keys' tails.
 *
 * <p>The only command is {@code measure} with {@code windows} and {@code window}, which answers
 * with the nanoseconds of one look-up in each window, and the bytes that one allocated. Bytes are
 * those that JMH's {@code gc} profiler counts.
 */
public final class LocatorWorker {

  private static final int KEYS = 2000;

  private final ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private final Subject subject;
  private int answers;

  private LocatorWorker(Subject subject) {
    this.subject = subject;
  }

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    String[] keys = keys(Integer.parseInt(arguments[2]));
    int nodes = Integer.parseInt(arguments[1]);
    LocatorWorker worker = new LocatorWorker(Subject.of(arguments[0], nodes, keys));
    Worker.serve(Map.of("measure", worker::measure));
  }

  private static String[] keys(int tail) {
    String[] keys = new String[KEYS];
    for (int i = 0; i < KEYS; i++) {
      keys[i] = "key_" + i + String.valueOf((char) ('a' + i % 26)).repeat(tail);
    }
    return keys;
  }

  private HarnessMessage measure(HarnessMessage message) {
    double[] nanos = new double[message.whole("windows")];
    double[] bytes = new double[nanos.length];
    long windowNanos = message.whole("window") * 1_000_000L;
    for (int window = 0; window < nanos.length; window++) {
      long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
      long begin = System.nanoTime();
      long operations = 0;
      long elapsed;
      do {
        answers += subject.lookUp();
        operations++;
        elapsed = System.nanoTime() - begin;
      } while (elapsed < windowNanos);
      long allocated = threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
      nanos[window] = (double) elapsed / (operations * KEYS);
      bytes[window] = (double) allocated / (operations * KEYS);
    }
    return HarnessMessage.of("done")
        .with("nanos", nanos)
        .with("bytes", bytes)
        .with("answers", answers);
  }
}
