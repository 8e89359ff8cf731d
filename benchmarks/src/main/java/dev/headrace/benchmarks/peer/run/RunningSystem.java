package dev.headrace.benchmarks.peer.run;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A system that was started and filled for one of JMH's trials.
 *
 * @param contender which system
 * @param cluster its cluster
 * @param entries what it holds
 */
public record RunningSystem(Contender contender, SystemUnderTest cluster, Entries entries)
    implements AutoCloseable {

  private static final Logger ROOT = Logger.getLogger("");

  /** The slowest loads ten million entries in two minutes; a full heap may collect for ever. */
  private static final int MOST_MINUTES = 6;

  /**
   * Starts a system.
   *
   * @param system its label
   * @param nodes data nodes, beside which there is one member without data
   * @throws IllegalStateException if it cannot run here, with what can be done about it
   */
  public static RunningSystem start(String system, int nodes, int entries, int valueBytes) {
    return start(system, nodes, new Entries(entries, valueBytes), cluster -> {});
  }

  /**
   * Starts a system that holds trades, too.
   *
   * @param system its label
   * @param nodes data nodes, beside which there is one member without data
   * @throws IllegalStateException if it cannot run here, with what can be done about it
   */
  public static RunningSystem startForTrades(String system, int nodes) {
    return start(system, nodes, new Entries(1, 1), SystemUnderTest::prepareForTrades);
  }

  private static RunningSystem start(
      String system, int nodes, Entries content, Consumer<SystemUnderTest> preparation) {
    ROOT.setLevel(Level.WARNING);
    Contender contender = Contender.of(system);
    contender
        .missing()
        .ifPresent(
            reason -> {
              throw new IllegalStateException(system + " cannot be measured: " + reason);
            });
    SystemUnderTest cluster = contender.create();
    try (Deadline deadline = Deadline.in(MOST_MINUTES, "starting and loading " + system)) {
      preparation.accept(cluster);
      cluster.start(nodes);
      cluster.load(content);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
    System.out.println("# " + system + " " + cluster.version());
    return new RunningSystem(contender, cluster, content);
  }

  /** The cache as seen from the vantage of this label. */
  public View view(String vantage) {
    return cluster.view(Vantage.of(vantage));
  }

  @Override
  public void close() {
    cluster.close();
  }
}
