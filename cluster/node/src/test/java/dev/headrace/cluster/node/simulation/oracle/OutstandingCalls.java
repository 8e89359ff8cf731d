package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.SimulatedTime;
import dev.headrace.cluster.node.simulation.World;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How the operations of a workload end: with a result, in one of the ways allowed, or never. */
public final class OutstandingCalls {
  private final World world;
  private int outstanding;
  private int acknowledged;

  OutstandingCalls(World world) {
    this.world = world;
  }

  /** Operations that have not ended, on nodes that live. */
  public int outstanding() {
    return outstanding;
  }

  /** Operations that were carried out. */
  public int acknowledged() {
    return acknowledged;
  }

  /**
   * An operation has begun.
   *
   * @param check judges its result
   * @param write is told if it was refused
   */
  <R> CompletionStage<R> watch(
      SimulatedNode node,
      CompletionStage<R> stage,
      Consumer<@Nullable R> check,
      @Nullable Write write) {
    Pending pending = new Pending(node);
    outstanding++;
    pending.giveUpWithNode();
    return stage.whenComplete(
        (result, error) -> {
          pending.end();
          try {
            judge(result, error, check, write);
          } catch (AssertionError e) {
            world.fail(e);
          }
        });
  }

  private <R> void judge(
      @Nullable R result,
      @Nullable Throwable error,
      Consumer<@Nullable R> check,
      @Nullable Write write) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause == null) {
      acknowledged++;
      check.accept(result);
    } else if (cause instanceof UnavailableException) {
      if (write != null) {
        write.refused();
      }
    } else if (!(cause instanceof OutcomeUnknownException
        || cause instanceof NodeClosedException)) {
      world.fail(cause);
    }
  }

  /** An operation whose node may crash, after which nobody waits for it any more. */
  private final class Pending {
    private final SimulatedNode node;
    private boolean ended;

    Pending(SimulatedNode node) {
      this.node = node;
    }

    void end() {
      if (!ended) {
        ended = true;
        outstanding--;
      }
    }

    void giveUpWithNode() {
      world.time.schedule(
          50 * SimulatedTime.MILLI,
          () -> {
            if (!node.alive) {
              end();
            } else if (!ended) {
              giveUpWithNode();
            }
          });
    }
  }
}
