package dev.headrace.stream.protocol;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.token.Remainder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a stream has come in each of its segments. Requests continue at what was received, a
 * resume token at what was consumed. Owned by the drain.
 */
final class Progress {

  private final Cursor[] received;
  private final SortedMap<Integer, Cursor> consumed = new TreeMap<>(); // where begun, not done
  private final int[] incarnations;
  private final BitSet toReceive = new BitSet();
  private final BitSet toConsume = new BitSet();
  private final BitSet untold = new BitSet();
  private int receiving;

  Progress(int segments) {
    received = new Cursor[segments];
    Arrays.fill(received, Cursor.START);
    incarnations = new int[segments];
  }

  /** The progress of a rail of this stream: all is to be consumed, and nothing received yet. */
  Progress ofRail() {
    Progress rail = new Progress(received.length);
    System.arraycopy(received, 0, rail.received, 0, received.length);
    System.arraycopy(incarnations, 0, rail.incarnations, 0, incarnations.length);
    rail.consumed.putAll(consumed);
    rail.toConsume.or(toConsume);
    rail.untold.or(untold);
    return rail;
  }

  /** A rail takes a segment of its stream. */
  void take(int segment) {
    toReceive.set(segment);
    receiving++;
  }

  /** How many segments have not been received to their end. */
  int receiving() {
    return receiving;
  }

  /** Adds a segment to the stream. */
  void add(int segment, int incarnation, Cursor from) {
    received[segment] = from;
    if (!from.isStart()) {
      consumed.put(segment, from);
    }
    incarnations[segment] = incarnation;
    toReceive.set(segment);
    toConsume.set(segment);
    receiving++;
  }

  /** Adds a segment of which all was consumed but the news that it has ended. */
  void addUntold(int segment, int incarnation, Cursor from) {
    received[segment] = from;
    consumed.put(segment, from);
    incarnations[segment] = incarnation;
    toConsume.set(segment);
    untold.set(segment);
  }

  /** The segments of which only the end is to be told. Must not be changed. */
  BitSet untold() {
    return untold;
  }

  int segments() {
    return received.length;
  }

  /** The segment's incarnation when the stream began. */
  int incarnation(int segment) {
    return incarnations[segment];
  }

  Cursor received(int segment) {
    return received[segment];
  }

  void receivedUpTo(int segment, Cursor cursor) {
    received[segment] = cursor;
  }

  void receivedAll(int segment) {
    if (toReceive.get(segment)) {
      toReceive.clear(segment);
      receiving--;
    }
  }

  /** What was received behind a cursor was released unread, and has to be received again. */
  void unreceived(int segment, Cursor from) {
    received[segment] = from;
    if (!toReceive.get(segment)) {
      toReceive.set(segment);
      receiving++;
    }
  }

  /** The segments that have not been received to their end. Must not be changed. */
  BitSet toReceive() {
    return toReceive;
  }

  boolean everythingReceived() {
    return receiving == 0;
  }

  Cursor consumed(int segment) {
    return consumed.getOrDefault(segment, Cursor.START);
  }

  void consumedUpTo(int segment, Cursor cursor) {
    consumed.put(segment, cursor);
  }

  void consumedAll(int segment) {
    toConsume.clear(segment);
    consumed.remove(segment);
  }

  /** What remains behind everything that was consumed. */
  Remainder remainder() {
    return new Remainder((BitSet) toConsume.clone(), incarnations, new TreeMap<>(consumed));
  }

  /** The segments that have not been consumed to their end. Must not be changed. */
  BitSet toConsume() {
    return toConsume;
  }
}
