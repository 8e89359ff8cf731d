package dev.headrace.replication.lane;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.RangeRequest;
import dev.headrace.replication.role.Learner;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that the learners of this node read from their primaries: so many bytes at a time,
 * first come, first served. Thread-safe.
 *
 * <p>Room belongs to a lane, not to a request: after each event the lane is asked what it wants. So
 * none is lost with an answer, and none is kept by a learner that has become something else.
 */
final class RangeReads {

  /** The most ranges on their way to this node; fewer larger ones, and a single one of any size. */
  static final int MAX_RANGES = 8;

  private final long maxBytes;
  private final ReadPort port;
  private final Map<Lane, Integer> reading = new HashMap<>(); // guarded by this
  private final Map<Lane, Integer> waiting = new LinkedHashMap<>(); // guarded by this
  private long bytes; // that the reading ones may take; guarded by this
  private final AtomicInteger admissions = new AtomicInteger();

  /**
   * @param rangeBytes of one range, unless its only entry is larger
   */
  RangeReads(int rangeBytes, ReadPort port) {
    this.maxBytes = (long) MAX_RANGES * rangeBytes;
    this.port = port;
  }

  /**
   * Something has happened to a lane, which holds its monitor: it reads if it wants to and there is
   * room.
   *
   * @return whether other lanes may have room by that, so that {@link #admit} is to be called when
   *     the monitor is free
   */
  boolean attend(Lane lane, Effects effects) {
    Learner learner = lane.role() instanceof Learner present ? present : null;
    int wanted = learner == null ? 0 : learner.wantedBytes(effects.nowNanos());
    if (wanted == 0 && !lane.reads()) {
      return false; // as nearly always
    }
    lane.read(wanted > 0);
    if (has(lane, wanted) && learner != null) {
      learner.read(effects);
    }
    return true;
  }

  /** Whether a lane has the room that it wants; if it wants any, it waits for it otherwise. */
  private synchronized boolean has(Lane lane, int wanted) {
    Integer present = reading.get(lane);
    if (present != null && wanted > 0 && wanted <= present) {
      return true;
    }
    if (present != null) {
      reading.remove(lane);
      bytes -= present;
    }
    if (wanted == 0) {
      waiting.remove(lane);
      return false;
    }
    boolean fits = waiting.isEmpty() && fits(wanted);
    if (fits) {
      reading.put(lane, wanted);
      bytes += wanted;
    } else {
      waiting.put(lane, wanted);
    }
    return fits;
  }

  private boolean fits(int wanted) {
    return bytes == 0 || bytes + wanted <= maxBytes;
  }

  /** Lets those read that there is room for; nothing may be locked. */
  void admit(LaneDriver driver) {
    if (admissions.getAndIncrement() != 0) {
      return; // whoever is at it goes on, so that an answer that is there at once takes no stack
    }
    int seen = 1;
    while (seen != 0) {
      for (Lane next = next(); next != null; next = next()) {
        driver.drive(next, LaneDriver.Event.NEWEST_TABLE);
      }
      seen = admissions.addAndGet(-seen);
    }
  }

  private synchronized @Nullable Lane next() {
    Iterator<Map.Entry<Lane, Integer>> longest = waiting.entrySet().iterator();
    if (!longest.hasNext()) {
      return null;
    }
    Map.Entry<Lane, Integer> first = longest.next();
    if (!fits(first.getValue())) {
      return null;
    }
    longest.remove();
    reading.put(first.getKey(), first.getValue());
    bytes += first.getValue();
    return first.getKey();
  }

  /** Reads a range for a lane. */
  void read(Lane lane, RangeRequest range, LaneDriver driver) {
    port.read(
        range.primary(),
        range.request(),
        new ReadHandler() {
          @Override
          public void received(Batch batch) {
            try {
              ended(batch);
            } finally {
              batch.release();
            }
          }

          @Override
          public void failed(Throwable cause) {
            ended(null);
          }

          private void ended(@Nullable Batch answer) {
            driver.drive(lane, (driven, effects) -> driven.role().range(range, answer, effects));
          }
        });
  }
}
