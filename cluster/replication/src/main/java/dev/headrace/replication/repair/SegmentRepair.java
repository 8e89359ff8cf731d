package dev.headrace.replication.repair;

import dev.headrace.replication.lane.LaneVisit;
import dev.headrace.replication.message.RepairMessage;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Difference;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairMessage.RepairRange;
import dev.headrace.replication.message.RepairStats;
import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.PositionRange;
import dev.headrace.stream.store.RangeHasher;
import dev.headrace.stream.store.RangeReader;
import dev.headrace.stream.store.Replica;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The repair of one segment of one cache, as its primary sees it: a pure machine that takes events
 * and leaves messages in the lane. Guarded by the lane.
 *
 * <pre>
 * event          guard                                  effects
 * -------------  -------------------------------------  -------------------------------------
 * any            no question is open, and bytes may be  the next step: Compare or RepairRange
 *                spent
 * Compared       a range differs, and is small          it is to be replaced
 * Compared       a range differs, and is larger         narrower ranges are to be compared
 * Compared,      the backup is behind another mutation  the step again, for this backup
 * RangeRepaired
 * tick           no answer for too long                 the step again, for who has not answered
 * any            this node does not serve in its term   given up
 * </pre>
 *
 * <p>One question is under way at a time. It speaks of the replica behind one mutation, and leaves
 * the lane behind that mutation; a backup that is elsewhere in the history when it arrives, because
 * messages were lost or have overtaken each other, says so and is asked again. So a write that is
 * on its way never looks like a difference, and no write waits.
 *
 * <p>The segment is cut into ranges of about {@value #RANGE_BYTES} bytes or {@value #RANGE_ENTRIES}
 * entries. One that differs is cut into 16 narrower ones, and so on until it is small; where most
 * of those that were compared together differ, they are replaced as they are.
 */
final class SegmentRepair {
  static final int RANGE_BYTES = 1 << 14; // about how many bytes a range has at first
  static final int RANGE_ENTRIES = 128; // about how many entries a range has at first
  static final int SMALL_ENTRIES = 8; // a range of no more entries is replaced

  static final int SMALL_BYTES = 1 << 11; // and of no more than so many bytes

  private static final int DEPTH_STEP = 4;

  private static final int HASTY_ATTEMPTS = 2; // at once; later ones wait for the next tick

  private final String cache;
  private final int segment;
  private final RepairSettings settings;
  private final Pace pace;
  private final LongSupplier numbers;
  private final RangeHasher hasher = new RangeHasher();
  private final RangeReader batch = new RangeReader();
  private final Deque<Step> steps = new ArrayDeque<>();
  private boolean begun;
  private boolean finished;
  private boolean abandoned;
  private long term;
  private @Nullable PositionRange sweep;
  private @Nullable Question question;
  private int attempts;
  private boolean failing;
  private long failingSinceNanos;
  private RepairStats stats = RepairStats.NONE;

  /**
   * @param numbers gives every question of this node another number
   */
  SegmentRepair(
      String cache, int segment, RepairSettings settings, Pace pace, LongSupplier numbers) {
    this.cache = cache;
    this.segment = segment;
    this.settings = settings;
    this.pace = pace;
    this.numbers = numbers;
  }

  String cache() {
    return cache;
  }

  int segment() {
    return segment;
  }

  /** Whether everything was compared, and repaired where it had to be. */
  boolean finished() {
    return finished;
  }

  /** Whether it was given up: this node is no longer the primary, or got no further. */
  boolean abandoned() {
    return abandoned;
  }

  /** What was found so far. */
  RepairStats stats() {
    return stats;
  }

  // ---- Going on

  /** Does what can be done now. */
  void proceed(LaneVisit lane) {
    if (!begun) {
      begin(lane);
    }
    abandoned |= !finished && (!lane.serves() || lane.term() != term);
    while (question == null
        && !finished
        && !abandoned
        && pace.permits()
        && attempts <= HASTY_ATTEMPTS) {
      Step step = next(lane);
      if (step == null) {
        finished = true;
      } else {
        ask(step, lane);
      }
    }
  }

  private void begin(LaneVisit lane) {
    begun = true;
    term = lane.term();
    sweep = lane.copies().isEmpty() ? null : PositionRange.ALL;
  }

  private @Nullable Step next(LaneVisit lane) {
    Step step = steps.poll();
    if (step != null || sweep == null) {
      return step;
    }
    // The segment may have grown since the last step.
    Replica replica = lane.replica();
    PositionRange first = sweep.narrowed(Math.max(sweep.depth(), depth(replica)));
    long bytesPerRange = Math.max(1, replica.bytes() >> first.depth());
    long fitting = Math.max(1, RepairMessage.MAX_RANGES * RANGE_BYTES / bytesPerRange);
    int ranges = (int) Math.min(RepairMessage.MAX_RANGES, Math.min(fitting, first.remaining()));
    sweep = first.remaining() > ranges ? first.following(ranges) : null;
    return new Step.Comparison(first, ranges, Set.of());
  }

  /** How deep ranges are that are neither too large nor, with large entries, mostly empty. */
  private static int depth(Replica replica) {
    long entries = replica.entries();
    long ranges =
        Math.max(Math.min(replica.bytes() / RANGE_BYTES, entries), entries / RANGE_ENTRIES);
    return Math.min(PositionRange.MAX_DEPTH, Long.SIZE - Long.numberOfLeadingZeros(ranges));
  }

  private void ask(Step step, LaneVisit lane) {
    Set<NodeId> asked = new TreeSet<>(lane.copies());
    if (!step.backups().isEmpty()) {
      asked.retainAll(step.backups());
    }
    if (asked.isEmpty()) {
      return; // A backup without a copy gets one, which needs no repair.
    }
    if (step instanceof Step.Comparison comparison) {
      compare(comparison, asked, lane);
    } else if (step instanceof Step.Replacement replacement) {
      replace(replacement, asked, lane);
    }
  }

  private void compare(Step.Comparison step, Set<NodeId> asked, LaneVisit lane) {
    long[] hashes = new long[step.ranges()];
    int[] entries = new int[step.ranges()];
    long[] bytes = new long[step.ranges()];
    long spent = 0;
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = hasher.hash(lane.replica(), step.first().following(i));
      entries[i] = hasher.entries();
      bytes[i] = hasher.bytes();
      spent += bytes[i];
    }
    pace.spend(spent);
    question =
        new Question(
            numbers.getAsLong(), step, asked, lane.nowNanos(), entries, bytes, Cursor.START);
    Compare message =
        new Compare(
            cache,
            segment,
            lane.table().epoch(),
            term,
            lane.sequence(),
            question.number(),
            step.first(),
            hashes);
    asked.forEach(backup -> lane.send(backup, message));
  }

  private void replace(Step.Replacement step, Set<NodeId> asked, LaneVisit lane) {
    byte[] entries = batch.read(lane.replica(), step.range(), step.from(), step.entries());
    pace.spend(entries.length);
    question =
        new Question(
            numbers.getAsLong(), step, asked, lane.nowNanos(), new int[0], new long[0], batch.to());
    RepairRange message =
        new RepairRange(
            cache,
            lane.format(),
            segment,
            lane.table().epoch(),
            term,
            lane.sequence(),
            question.number(),
            step.from(),
            batch.to(),
            entries);
    asked.forEach(backup -> lane.send(backup, message));
    count(0, 0, 0, 0, 0, (long) entries.length * asked.size());
  }

  // ---- Answers

  void compared(NodeId from, Compared message, LaneVisit lane) {
    Question asked = asked(message.number(), message, lane);
    if (asked != null
        && asked.step() instanceof Step.Comparison step
        && asked.answered(from, message.level())) {
      for (Difference difference : message.differences()) {
        if (difference.range() < step.ranges()) {
          asked.add(from, difference);
        }
      }
      concludeIfComplete(asked, lane);
    }
  }

  /** A backup has repaired a range. */
  void repaired(NodeId from, RangeRepaired message, LaneVisit lane) {
    Question asked = asked(message.number(), message, lane);
    if (asked != null
        && asked.step() instanceof Step.Replacement
        && asked.answered(from, message.level())) {
      count(0, 0, 0, message.extra() + message.wrong(), message.newer(), 0);
      concludeIfComplete(asked, lane);
    }
  }

  private @Nullable Question asked(long number, SegmentMessage message, LaneVisit lane) {
    Question asked = question;
    boolean answers = asked != null && asked.number() == number && lane.ofPresentOwners(message);
    return answers ? asked : null;
  }

  private void concludeIfComplete(Question asked, LaneVisit lane) {
    if (asked.complete()) {
      conclude(asked, lane);
    }
  }

  /** Draws the consequences of what was answered; who has not is asked again. */
  private void conclude(Question asked, LaneVisit lane) {
    question = null;
    Set<NodeId> again = asked.again();
    if (again.isEmpty()) {
      attempts = 0;
    } else {
      attempts++;
      failingSinceNanos = failing ? failingSinceNanos : lane.nowNanos();
      steps.push(asked.step().with(again));
    }
    failing = !again.isEmpty();
    if (asked.step() instanceof Step.Comparison step) {
      countCompared(asked, step);
      followUp(asked, step);
    } else if (asked.step() instanceof Step.Replacement step) {
      boolean more = !asked.to().equals(step.range().to());
      if (more && !asked.settled().isEmpty()) {
        steps.push(new Step.Replacement(step.range(), asked.to(), step.entries(), asked.settled()));
      }
    }
  }

  private void countCompared(Question asked, Step.Comparison step) {
    for (int i = 0; i < step.ranges() && step.backups().isEmpty(); i++) {
      count(asked.entries(i), asked.bytes(i), 0, 0, 0, 0);
    }
  }

  /** Narrows or replaces the ranges that differ. */
  private void followUp(Question asked, Step.Comparison step) {
    Map<Integer, Question.Differing> differing = asked.differing();
    boolean most = step.ranges() >= 1 << DEPTH_STEP && differing.size() * 2 > step.ranges();
    differing.forEach(
        (index, its) -> {
          PositionRange range = step.first().following(index);
          int entries = Math.max(asked.entries(index), its.entries());
          if (isSmall(range, entries, asked.bytes(index))
              || (most && entries <= RangeReader.MAX_ENTRIES)) {
            count(0, 0, its.backups().size(), 0, 0, 0);
            steps.push(
                new Step.Replacement(range, range.from(), asked.entries(index), its.backups()));
          } else {
            steps.push(narrower(range, its.backups()));
          }
        });
  }

  private static boolean isSmall(PositionRange range, int entries, long bytes) {
    return entries <= 1
        || (entries <= SMALL_ENTRIES && bytes <= SMALL_BYTES)
        || range.depth() == PositionRange.MAX_DEPTH;
  }

  private static Step narrower(PositionRange range, Set<NodeId> backups) {
    int depth = Math.min(PositionRange.MAX_DEPTH, range.depth() + DEPTH_STEP);
    return new Step.Comparison(range.narrowed(depth), 1 << (depth - range.depth()), backups);
  }

  private void count(
      long entries, long bytes, long differences, long repaired, long newer, long sentBytes) {
    stats = stats.plus(new RepairStats(entries, bytes, differences, repaired, newer, sentBytes));
  }

  // ---- Time

  void tick(LaneVisit lane) {
    attempts = 0;
    Question asked = question;
    if (asked != null && lane.nowNanos() - asked.askedNanos() >= settings.resendNanos()) {
      conclude(asked, lane);
    }
    abandoned |= failing && lane.nowNanos() - failingSinceNanos >= settings.patienceNanos();
  }
}
