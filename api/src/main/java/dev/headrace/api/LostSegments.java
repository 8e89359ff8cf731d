package dev.headrace.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What happens to segments whose owners have all crashed or cannot be reached. Silence does not
 * tell whether a node has ended or is only cut off. So the segments wait: reads, writes and
 * exactly-once streams of them fail with an error that names the nodes with a copy, and when one of
 * these is back, everything goes on with its copy.
 *
 * <p>All nodes with a capacity must have the same setting; a node with another one is refused. It
 * matters only under {@link SplitPolicy#DENY}; under {@link SplitPolicy#ALLOW} no part of a cluster
 * waits for another.
 *
 * @param recreateAfter how long the segments wait before they begin anew and empty; null if they
 *     wait until somebody gives them up with {@link Headrace#giveUp}
 * @param whenEnded whether segments do not wait, or no longer, for nodes that are known to have
 *     ended; see {@link #recreateWhenEnded()}
 */
public record LostSegments(@Nullable Duration recreateAfter, boolean whenEnded) {

  /** Segments wait until one of their owners is back or an operator gives them up. */
  public static final LostSegments WAIT = new LostSegments(null, false);

  /** Checks the time. */
  public LostSegments {
    if (recreateAfter != null && recreateAfter.isNegative()) {
      throw new IllegalArgumentException(
          "lostSegments cannot be recreated after the negative time " + recreateAfter);
    }
  }

  /**
   * Segments begin anew and empty after a while. For caches that can be filled again from
   * elsewhere; what their owners hold is dropped if they come back later.
   *
   * @param time zero for at once
   */
  public static LostSegments recreateAfter(Duration time) {
    return new LostSegments(time, false);
  }

  /**
   * Segments begin anew and empty as soon as all nodes that have what they hold are known to have
   * ended, and wait for others. A node is known to have ended when another one has seen both: an
   * established data connection to it was closed or reset from its side, and its data port, at the
   * same address, refuses new connections since. A crashed process shows that within a moment; a
   * node that hangs, is cut off or has lost its power does not, however long it is silent.
   *
   * <p>Both may be the work of a firewall that resets connections and refuses new ones in the
   * node's name. Where there is one, a node that still runs may be given up; what it holds is
   * dropped when it comes back.
   */
  public static LostSegments recreateWhenEnded() {
    return new LostSegments(null, true);
  }

  /**
   * The same, but segments do not wait for nodes that are known to have ended; see {@link
   * #recreateWhenEnded}.
   */
  public LostSegments orWhenEnded() {
    return new LostSegments(recreateAfter, true);
  }

  /** As one would write it. */
  @Override
  public String toString() {
    if (recreateAfter == null) {
      return whenEnded ? "recreateWhenEnded()" : "WAIT";
    }
    return "recreateAfter(" + recreateAfter + ")" + (whenEnded ? ".orWhenEnded()" : "");
  }
}
