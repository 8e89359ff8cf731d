package dev.headrace.benchmarks.peer.run;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.List;

/**
 * The comparison's handle on a fork that runs one system: what {@link PeerWorker} can do, as
 * methods.
 *
 * <p>Used by the comparison's thread.
 */
public final class PeerFork implements AutoCloseable {

  private final Contender contender;
  private final Fork fork;

  private PeerFork(Contender contender, Fork fork) {
    this.contender = contender;
    this.fork = fork;
  }

  /** Starts the fork and tells it to start its cluster; {@link #started} must follow. */
  public static PeerFork start(Contender contender, int dataNodes) {
    Fork fork =
        Fork.start(contender.label(), PeerWorker.class, List.of(), List.of(contender.label()));
    fork.send(HarnessMessage.of("start").with("nodes", dataNodes));
    return new PeerFork(contender, fork);
  }

  /** The system that runs here. */
  public Contender contender() {
    return contender;
  }

  /** Waits until the cluster stands, and returns the system's version. */
  public String started() {
    return fork.reply().text("version");
  }

  /** Replaces the content by these entries. */
  public void load(int entries, int valueBytes) {
    fork.ask(HarnessMessage.of("load").with("entries", entries).with("bytes", valueBytes));
  }

  /**
   * Measures the time to the first entry: {@code micros}, {@code p50}, {@code p99}, {@code p999}.
   */
  public HarnessMessage first(Vantage vantage, int samples) {
    return fork.ask(walk("first", vantage, 0).with("samples", samples));
  }

  /**
   * Measures allocation: {@code bytesPerEntry} on the reader's node, {@code allThreads}, and {@code
   * decodedBytesPerEntry}.
   */
  public HarnessMessage allocate(Vantage vantage, int passes) {
    return fork.ask(walk("allocate", vantage, 0).with("passes", passes));
  }

  /** Walks once and returns the most entries that were buffered or in flight. */
  public int held(Vantage vantage, int batchEntries) {
    return fork.ask(walk("held", vantage, batchEntries)).whole("entries");
  }

  private static HarnessMessage walk(String verb, Vantage vantage, int batchEntries) {
    return HarnessMessage.of(verb).with("vantage", vantage.name()).with("batch", batchEntries);
  }

  @Override
  public void close() {
    fork.close();
  }
}
