package dev.headrace.replication.log;

import dev.headrace.replication.message.Mutation;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Mutations that have arrived before their predecessors, up to a bound. Guarded by the lane. */
public final class EarlyMutations {
  /** By their first numbers. */
  private final Map<Long, Mutation> bySequence = new HashMap<>(0);

  private final LaneSettings settings;
  private long bytes;
  private long gapSinceNanos;

  public EarlyMutations(LaneSettings settings) {
    this.settings = settings;
  }

  public boolean isEmpty() {
    return bySequence.isEmpty();
  }

  /** Keeps one if there is room. */
  public void keep(Mutation mutation, long appliedSequence, long nowNanos) {
    boolean bounded =
        mutation.firstSequence() - appliedSequence <= LaneSettings.MAX_IN_FLIGHT
            && bytes < settings.maxOutboxBytes();
    if (bySequence.isEmpty()) {
      gapSinceNanos = nowNanos;
    }
    if (bounded && bySequence.putIfAbsent(mutation.firstSequence(), mutation) == null) {
      bytes += mutation.approximateBytes();
    }
  }

  /** Takes the one out whose first number this is, if it is there. */
  public @Nullable Mutation take(long sequence, long nowNanos) {
    if (bySequence.isEmpty()) {
      return null;
    }
    gapSinceNanos = nowNanos;
    Mutation mutation = bySequence.remove(sequence);
    bytes -= mutation == null ? 0 : mutation.approximateBytes();
    return mutation;
  }

  /** Forgets what has come in another way. */
  public void dropThrough(long sequence) {
    if (!bySequence.isEmpty()) {
      bySequence.keySet().removeIf(kept -> kept <= sequence);
      bytes = bySequence.values().stream().mapToLong(Mutation::approximateBytes).sum();
    }
  }

  /** Whether it is time to ask for what is between. */
  public boolean overdue(long nowNanos) {
    if (bySequence.isEmpty() || nowNanos - gapSinceNanos < settings.resendNanos() / 4) {
      return false;
    }
    gapSinceNanos = nowNanos;
    return true;
  }
}
