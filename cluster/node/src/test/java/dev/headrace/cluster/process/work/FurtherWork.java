package dev.headrace.cluster.process.work;

import dev.headrace.api.Headrace;
import java.util.List;
import java.util.function.Consumer;

/**
 * Changes that are followed, a load by a sink, and streams with a condition, of one node. Begins at
 * once; used by one thread.
 */
public final class FurtherWork implements AutoCloseable {
  private final Consumer<String> violations;
  private final NumberedWrites writes;
  private final FollowedChanges changes;
  private final SinkLoad load;
  private final ChosenEntries chosen;

  /**
   * @param violations takes what must not happen, on any thread
   */
  public FurtherWork(Headrace node, Consumer<String> violations) {
    String name = node.settings().nodeName();
    this.violations = violations;
    this.writes = new NumberedWrites(node.cache("numbered", String.class, String.class), name);
    this.changes =
        new FollowedChanges(node.cache("numbered", String.class, String.class), violations);
    this.load = new SinkLoad(node.cache("sunk-" + name, Integer.class, String.class), violations);
    this.chosen =
        new ChosenEntries(
            node.cache("orders", Integer.class, ChosenEntries.Order.class), violations);
  }

  /** What is to be run again and again, each by one thread at a time. */
  public List<Runnable> turns() {
    return List.of(writes::turn, chosen::turn);
  }

  /**
   * Ends the work, when turns have ended on all nodes, and checks what has come of it.
   *
   * @return how much that was
   */
  public String finish() throws InterruptedException {
    long told = changes.awaitAll();
    long loaded = load.finish();
    long times = chosen.times();
    if (told == 0 || loaded == 0 || times == 0) {
      violations.accept("Some work was never done");
    }
    return "%d changes told, %d entries loaded, %d times chosen".formatted(told, loaded, times);
  }

  @Override
  public void close() {
    changes.close();
  }
}
