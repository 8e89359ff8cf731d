package dev.headrace.replication.lane;

import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a node that run processors: at once, after some time, or after so long that the
 * caller asks again. Now and then there is none.
 */
final class SimulatedProcessors
    implements BiConsumer<ProcessorRun, Consumer<@Nullable EntryDecision>> {
  private static final long MILLIS = 1_000_000L;

  private final WriteSimulation world;
  private final LaneNode node;
  private final RandomGenerator random;

  SimulatedProcessors(WriteSimulation world, LaneNode node, RandomGenerator random) {
    this.world = world;
    this.node = node;
    this.random = random;
  }

  @Override
  public void accept(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    int choice = random.nextInt(20);
    if (choice == 0) {
      decided.accept(null);
    } else if (choice < 8) {
      decided.accept(LaneWorkload.decide(run));
    } else if (choice < 19) {
      decideAfter(random.nextLong(10 * MILLIS), run, decided);
    } else {
      decideAfter(world.lasting(random.nextLong(900 * MILLIS)), run, decided);
    }
  }

  /** In a node that is still there. */
  private void decideAfter(
      long nanos, ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    world.network.after(
        nanos,
        () -> {
          if (world.live.get(node.id) == node) {
            decided.accept(LaneWorkload.decide(run));
          }
        });
  }
}
