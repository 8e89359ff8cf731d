package dev.headrace.stream.change;

import dev.headrace.stream.entry.Cursor;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream of changes is in one segment: one number and, while it reads the content, one
 * cursor. Owned by the drain.
 *
 * <pre>
 * state      next            content       what comes next
 * ---------  --------------  ------------  -------------------------------------------------------
 * new        0               null          the number from which on changes are told
 * reading    0               the start     the first entries, as of any number
 * reading    as of which     a cursor      the changes of the entries up to the cursor, up to the
 *            the entries up                number as of which the next entries are; then these
 *            to it are, + 1
 * following  any             null          the next changes
 * </pre>
 */
final class SegmentFeed {
  final int segment;
  final int incarnation;

  /** The number of the next change that has not been handed over; 0 if it is not known. */
  long next;

  /** The term of the mutation before that; -1 if it is not known. */
  long term;

  /** Up to where the content has been handed over; null if all of it has, or none is wanted. */
  @Nullable Cursor content;

  /** Entries that have come and wait until they are known to be stable; null if there are none. */
  @Nullable Held held;

  /** What waits to be handed over, in order. */
  final Deque<Chunk> ready = new ArrayDeque<>(1);

  boolean asked;

  /** Whether the last question found more than fits into an answer, or nobody who could tell. */
  boolean behind;

  int owner;
  int forgottenBy;
  long notBeforeNanos;
  boolean rests;

  /**
   * Entries as of a mutation.
   *
   * @param sequence the mutation's number
   * @param to where they end; null for the end of the segment
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  record Held(byte[] bytes, int from, int to, long sequence, long term, @Nullable Cursor end) {}

  SegmentFeed(int segment, int incarnation, long next, long term, @Nullable Cursor content) {
    this.segment = segment;
    this.incarnation = incarnation;
    this.next = next;
    this.term = term;
    this.content = content;
  }

  /** Whether the segment's content has not been begun. */
  boolean atStart() {
    Cursor reached = content;
    return reached != null && reached.isStart();
  }

  /** Whether nothing is under way, so that something can be asked for. */
  boolean idle(long nowNanos) {
    return !asked && ready.isEmpty() && !(rests && nowNanos - notBeforeNanos < 0);
  }

  /** Whether all that is known to have happened in the segment is handed over. */
  boolean isLevel() {
    return next > 0 && content == null && held == null && !behind && ready.isEmpty();
  }

  /** What is to be asked for next. */
  ChangeQuery.Part question() {
    Held waiting = held;
    if (waiting != null) {
      long from = atStart() ? waiting.sequence : next;
      long before = atStart() ? -1 : term;
      return new ChangeQuery.Part(segment, incarnation, from, waiting.sequence, before, null);
    }
    Cursor reached = content;
    if (reached != null) {
      return atStart()
          ? new ChangeQuery.Part(segment, incarnation, 0, ChangeQuery.NO_LIMIT, -1, reached)
          : new ChangeQuery.Part(segment, incarnation, next, ChangeQuery.NO_LIMIT, term, reached);
    }
    return new ChangeQuery.Part(segment, incarnation, next, ChangeQuery.NO_LIMIT, term, null);
  }

  void rest(long untilNanos) {
    rests = true;
    notBeforeNanos = untilNanos;
  }
}
