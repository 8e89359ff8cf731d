package dev.headrace.benchmarks.peer;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Throughput.Schedule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The referee's handle on a fork that runs one system: what {@link PeerWorker} can do, as methods.
 *
 * <p>Used by the referee's thread.
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
    return start(contender, contender.label(), dataNodes, List.of());
  }

  /** The same with nodes that use TLS, with files that {@link TlsFiles#make} has made. */
  public static PeerFork startEncrypted(Contender contender, int dataNodes, Path files) {
    return start(contender, contender.label() + "-tls", dataNodes, List.of(files.toString()));
  }

  private static PeerFork start(
      Contender contender, String name, int dataNodes, List<String> more) {
    List<String> arguments = new ArrayList<>(List.of(contender.label()));
    arguments.addAll(more);
    Fork fork =
        Fork.start(
            name, contender.libraries(), PeerWorker.class, contender.jvmArguments(), arguments);
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

  /** Measures walks: entries per second, one number per window. */
  public double[] iterate(
      Vantage vantage, String mode, int batchEntries, int threads, Schedule schedule) {
    HarnessMessage command = walk("iterate", vantage, mode, batchEntries, threads);
    return fork.ask(schedule.addTo(command)).numbers("rates");
  }

  /** Measures single operations, {@code get} or {@code put}: operations per second. */
  public double[] operate(Vantage vantage, String operation, int threads, Schedule schedule) {
    HarnessMessage command =
        HarnessMessage.of("operate")
            .with("vantage", vantage)
            .with("operation", operation)
            .with("threads", threads);
    return fork.ask(schedule.addTo(command)).numbers("rates");
  }

  /**
   * Measures the time to the first entry: {@code micros}, {@code p50}, {@code p99}, {@code p999}.
   */
  public HarnessMessage first(Vantage vantage, String mode, int samples) {
    return fork.ask(walk("first", vantage, mode, 0, 1).with("samples", samples));
  }

  /**
   * Measures allocation: {@code bytesPerEntry} on the reader's node, {@code allThreads}, and {@code
   * decodedBytesPerEntry}.
   */
  public HarnessMessage allocate(Vantage vantage, String mode, int batchEntries, int passes) {
    return fork.ask(walk("allocate", vantage, mode, batchEntries, 1).with("passes", passes));
  }

  /** Walks once and returns the most entries that were buffered or in flight. */
  public int held(Vantage vantage, String mode, int batchEntries) {
    return fork.ask(walk("held", vantage, mode, batchEntries, 1)).whole("entries");
  }

  private static HarnessMessage walk(
      String verb, Vantage vantage, String mode, int batchEntries, int threads) {
    return HarnessMessage.of(verb)
        .with("vantage", vantage)
        .with("mode", mode)
        .with("batch", batchEntries)
        .with("threads", threads);
  }

  @Override
  public void close() {
    fork.close();
  }
}
