package dev.headrace.replication.lane;

import dev.headrace.replication.log.ChangeLog;
import dev.headrace.replication.log.ChangeRetention;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.role.Backup;
import dev.headrace.replication.role.LeaseCheck;
import dev.headrace.replication.role.NoRole;
import dev.headrace.replication.role.Primary;
import dev.headrace.replication.role.Role;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeAnswer.Status;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What this node can tell readers of changes: what segments retain of them, and content as of a
 * number.
 *
 * <p>No lease is needed, unlike for reads: what is told is what was true at a number, and only what
 * can never be undone. A node that was excluded tells less, and nothing wrong. Only who says that
 * something was undone needs one.
 *
 * <p>Content is read beside the lane. If a mutation has come in between, it counts as of no number
 * and is read again, at last within the lane, which is kept for a small part only (P4).
 *
 * <p>Thread-safe.
 */
final class ChangeAnswers {
  /** The most bytes of entries that are read within a lane, or a single larger entry. */
  private static final int MAX_BYTES_IN_LANE = 32 << 10;

  private static final int ATTEMPTS_BESIDE_LANE = 3;

  private final Caches caches;
  private final LaneDriver driver;
  private final ChangeRetention retention;
  private final LeaseCheck lease;

  ChangeAnswers(Caches caches, LaneDriver driver, ChangeRetention retention, LeaseCheck lease) {
    this.caches = caches;
    this.driver = driver;
    this.retention = retention;
    this.lease = lease;
  }

  /**
   * Answers a question as far as there is something to tell.
   *
   * @param parts those of the question's parts that may have something
   */
  ChangeAnswer answer(ChangeQuery query, List<ChangeQuery.Part> parts) {
    LocalReplicas now = caches.local();
    if (now == null) {
      return all(parts, Status.NOT_HELD);
    }
    if (!retention.retains()) {
      return all(parts, Status.NOT_RETAINED);
    }
    if (query.previous() && !retention.retainsPrevious()) {
      return all(parts, Status.NO_PREVIOUS);
    }
    CacheSegments cache = caches.admit(query.cache());
    if (cache == null) {
      return all(parts, Status.NOT_HELD);
    }
    if (!cache.cache().admits(query.format())) {
      int[] segments = parts.stream().mapToInt(ChangeQuery.Part::segment).toArray();
      boolean counts = lease.permits(now.table(), segments);
      return all(parts, counts ? Status.WRONG_FORMAT : Status.NOT_HELD);
    }
    List<ChangeAnswer.Part> told = new ArrayList<>();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int room = Math.min(query.maxBytes(), ChangeAnswer.MAX_BYTES);
    for (ChangeQuery.Part part : parts) {
      if (bytes.size() >= room) {
        break;
      }
      int left = room - bytes.size();
      ChangeAnswer.Part one = answer(cache, part, left, bytes.size() == 0, bytes);
      if (one != null) {
        told.add(one);
      }
    }
    return new ChangeAnswer(told, bytes.toByteArray());
  }

  private static ChangeAnswer all(List<ChangeQuery.Part> parts, Status status) {
    List<ChangeAnswer.Part> told = new ArrayList<>(parts.size());
    for (ChangeQuery.Part part : parts) {
      told.add(ChangeAnswer.Part.of(part.segment(), status));
    }
    return new ChangeAnswer(told, new byte[0]);
  }

  /**
   * @param alone whether a single entry may be larger than the room
   * @return null if there is nothing to tell
   */
  private ChangeAnswer.@Nullable Part answer(
      CacheSegments cache,
      ChangeQuery.Part part,
      int room,
      boolean alone,
      ByteArrayOutputStream out) {
    int segment = part.segment();
    if (segment >= cache.store().segments()) {
      return ChangeAnswer.Part.of(segment, Status.NOT_HELD);
    }
    Lane lane = cache.lane(segment);
    if (lane.role() instanceof NoRole) {
      // It may only have had nothing to do until now.
      driver.drive(lane, LaneDriver.Event.NEWEST_TABLE);
    }
    Cursor content = part.content();
    if (isQuiet(lane, part)) {
      return null;
    }
    if (content == null && part.next() > 0) {
      return changes(lane, part, room, alone, out);
    }
    State state = state(lane, part);
    if (state == null) {
      return ChangeAnswer.Part.of(segment, Status.NOT_HELD);
    }
    if (content == null) {
      return new ChangeAnswer.Part(
          segment,
          Status.POSITION,
          state.stable + 1,
          lane.history().changes().term(state.stable),
          true,
          Cursor.START,
          0);
    }
    return content(lane, part, content, room, alone, out);
  }

  /**
   * Whether a reader who wants all that follows is level with a segment. Most segments of most
   * questions are; that is seen without the lane, whose monitor writers want.
   */
  private static boolean isQuiet(Lane lane, ChangeQuery.Part part) {
    return part.content() == null
        && part.limit() == ChangeQuery.NO_LIMIT
        && part.next() > 0
        && !(lane.role() instanceof NoRole)
        && lane.table().incarnation(part.segment()) == part.incarnation()
        && lane.history().copy()
        && lane.history().changes().isQuiet(part.next(), part.term());
  }

  /** Which mutation a segment's content is as of. */
  private record State(Replica replica, long sequence, long term, long stable) {}

  /** The state of a segment whose content may be told; null if it may not. */
  private static @Nullable State state(Lane lane, ChangeQuery.Part part) {
    synchronized (lane) {
      Role role = lane.role();
      boolean ready =
          (role instanceof Primary primary && primary.serving())
              || (role instanceof Backup backup && backup.inSync());
      if (!ready || lane.table().incarnation(part.segment()) != part.incarnation()) {
        return null;
      }
      SegmentHistory history = lane.history();
      return new State(
          history.replica(),
          history.appliedSequence(),
          history.appliedTerm(),
          history.changes().lastStable());
    }
  }

  private ChangeAnswer.@Nullable Part changes(
      Lane lane, ChangeQuery.Part part, int room, boolean alone, ByteArrayOutputStream out) {
    int segment = part.segment();
    ChangeLog.Excerpt told;
    synchronized (lane) {
      SegmentHistory history = lane.history();
      boolean knows =
          !(lane.role() instanceof NoRole)
              && (history.copy() || history.appliedSequence() == 0)
              && lane.table().incarnation(segment) == part.incarnation();
      if (!knows) {
        return ChangeAnswer.Part.of(segment, Status.NOT_HELD);
      }
      ChangeAnswer.Part undone = undone(lane, part);
      if (undone != null) {
        return undone;
      }
      // Within the lane: later it might be the log of another history.
      told = history.changes().read(part.next(), part.limit(), room);
    }
    if (told.forgotten()) {
      return new ChangeAnswer.Part(
          segment, Status.FORGOTTEN, told.next(), -1, true, Cursor.START, 0);
    }
    byte[] bytes = told.bytes();
    boolean fits = bytes.length <= room || alone;
    boolean ends = part.limit() < told.next();
    if (!fits || (bytes.length == 0 && !ends)) {
      return null;
    }
    out.writeBytes(bytes);
    return new ChangeAnswer.Part(
        segment, Status.CHANGES, told.next(), told.term(), true, Cursor.START, bytes.length);
  }

  /**
   * Tells a reader if it was told of a mutation that is none of this history, or waits for one. A
   * crash may undo a mutation before it is stable, which content that was told may contain. What is
   * stable is never undone while nobody acknowledges anything without a lease; without leases a
   * node that was excluded may. The caller holds the lane's monitor.
   *
   * @return null if nothing was undone, as far as this node knows
   */
  private ChangeAnswer.@Nullable Part undone(Lane lane, ChangeQuery.Part part) {
    SegmentHistory history = lane.history();
    long term = history.changes().term(part.next() - 1);
    if (part.term() >= 0 && term >= 0 && term != part.term()) {
      return ChangeAnswer.Part.of(part.segment(), Status.UNDONE);
    }
    long latest = part.limit() == ChangeQuery.NO_LIMIT ? part.next() - 1 : part.limit();
    boolean lacks =
        history.appliedSequence() < latest
            && lane.role() instanceof Primary primary
            && primary.serving()
            && lease.permits(part.segment(), lane.table().segmentEpoch(part.segment()));
    return lacks
        ? new ChangeAnswer.Part(
            part.segment(),
            Status.UNDONE,
            history.appliedSequence() + 1,
            -1,
            false,
            Cursor.START,
            0)
        : null;
  }

  // ---- Content as of a number

  private ChangeAnswer.@Nullable Part content(
      Lane lane,
      ChangeQuery.Part part,
      Cursor from,
      int room,
      boolean alone,
      ByteArrayOutputStream out) {
    synchronized (lane) {
      ChangeAnswer.Part undone = part.next() > 0 ? undone(lane, part) : null;
      if (undone != null) {
        return undone;
      }
    }
    for (int attempt = 0; attempt < ATTEMPTS_BESIDE_LANE; attempt++) {
      State before = state(lane, part);
      if (before == null) {
        break;
      }
      Entries read = Entries.read(before.replica, from, room, alone);
      State after = state(lane, part);
      if (after != null && before.replica == after.replica && before.sequence == after.sequence) {
        return read == null ? null : read.part(part.segment(), after, out);
      }
    }
    synchronized (lane) {
      State state = state(lane, part);
      if (state == null) {
        return ChangeAnswer.Part.of(part.segment(), Status.NOT_HELD);
      }
      Entries read = Entries.read(state.replica, from, Math.min(room, MAX_BYTES_IN_LANE), alone);
      return read == null ? null : read.part(part.segment(), state, out);
    }
  }

  /** Some entries of a replica. */
  private record Entries(Status status, Cursor next, ByteBuffer bytes) {

    /**
     * @return null if the first entry is larger than the room and may not be
     */
    static @Nullable Entries read(Replica replica, Cursor from, int room, boolean alone) {
      SegmentReader reader = new SegmentReader();
      int capacity = (int) Math.max(1, Math.min(room, replica.bytes() + 1));
      ByteBuffer bytes = ByteBuffer.allocate(capacity);
      ReadStatus status = read(reader, replica, from, bytes);
      while (status == ReadStatus.ENTRY_TOO_LARGE) {
        if (!alone && reader.requiredBytes() > room) {
          return null;
        }
        bytes = ByteBuffer.allocate(reader.requiredBytes());
        status = read(reader, replica, from, bytes);
      }
      bytes.flip();
      return switch (status) {
        case MORE -> new Entries(Status.CONTENT, reader.next(), bytes);
        case DONE -> new Entries(Status.CONTENT_END, Cursor.START, bytes);
        default -> new Entries(Status.NOT_HELD, Cursor.START, ByteBuffer.allocate(0));
      };
    }

    private static ReadStatus read(
        SegmentReader reader, Replica replica, Cursor from, ByteBuffer bytes) {
      return reader.read(
          replica, from, Integer.MAX_VALUE, bytes.capacity(), Projection.ENTRIES, bytes);
    }

    ChangeAnswer.Part part(int segment, State asOf, ByteArrayOutputStream out) {
      if (status == Status.NOT_HELD) {
        return ChangeAnswer.Part.of(segment, Status.NOT_HELD);
      }
      byte[] told = new byte[bytes.limit()];
      bytes.get(0, told);
      out.writeBytes(told);
      return new ChangeAnswer.Part(
          segment,
          status,
          asOf.sequence + 1,
          asOf.term,
          asOf.sequence <= asOf.stable,
          next,
          bytes.limit());
    }
  }
}
