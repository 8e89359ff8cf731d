package dev.headrace.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of segments whose owners all crashed or cannot be reached. Nobody can tell from
 * outside whether a node has ended or is only cut off. So the segments wait: reads, writes and
 * exactly-once streams of them fail, naming the nodes that have what they hold, and when one of
 * these is back everything goes on with its copy.
 *
 * <p>It matters only under {@link SplitPolicy#DENY}; under {@link SplitPolicy#ALLOW} no part of a
 * cluster waits for another.
 *
 * @param recreateAfter how long the segments wait before they begin anew and empty; null if they
 *     wait until somebody gives them up with {@link Headrace#giveUp}
 */
public record LostSegments(@Nullable Duration recreateAfter) {

  /** Segments wait until one of their owners is back, or somebody gives them up. */
  public static final LostSegments WAIT = new LostSegments(null);

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
    return new LostSegments(time);
  }
}
