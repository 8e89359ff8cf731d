package dev.headrace.replication.repair;

import dev.headrace.replication.message.RepairMessage.Difference;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A step of which backups have been told, and what they have answered. Guarded by the lane. */
final class Question {
  private final long number;
  private final Step step;
  private final long askedNanos;
  private final Set<NodeId> asked;
  private final Set<NodeId> awaited;
  private final Set<NodeId> unlevel = new TreeSet<>();
  private final Map<Integer, Differing> differing = new TreeMap<>();

  // What the primary has: of each compared range, or of what is to be replaced.
  private final int[] entries;
  private final long[] bytes;
  private final Cursor to;

  /** The backups that have a range otherwise, and how many entries the fullest has there. */
  record Differing(Set<NodeId> backups, int entries) {}

  Question(
      long number,
      Step step,
      Set<NodeId> asked,
      long askedNanos,
      int[] entries,
      long[] bytes,
      Cursor to) {
    this.number = number;
    this.step = step;
    this.asked = Set.copyOf(asked);
    this.awaited = new TreeSet<>(asked);
    this.askedNanos = askedNanos;
    this.entries = entries;
    this.bytes = bytes;
    this.to = to;
  }

  long number() {
    return number;
  }

  Step step() {
    return step;
  }

  long askedNanos() {
    return askedNanos;
  }

  /** How many entries the primary has in a compared range. */
  int entries(int range) {
    return entries[range];
  }

  /** How many bytes these take. */
  long bytes(int range) {
    return bytes[range];
  }

  /** Up to where the range is replaced. */
  Cursor to() {
    return to;
  }

  /** A backup has answered; false if nobody waits for it. */
  boolean answered(NodeId backup, boolean level) {
    if (!awaited.remove(backup)) {
      return false;
    }
    if (!level) {
      unlevel.add(backup);
    }
    return true;
  }

  void add(NodeId backup, Difference difference) {
    Differing one = new Differing(Set.of(backup), difference.entries());
    differing.merge(difference.range(), one, Question::both);
  }

  private static Differing both(Differing some, Differing others) {
    Set<NodeId> backups = new TreeSet<>(some.backups);
    backups.addAll(others.backups);
    return new Differing(backups, Math.max(some.entries, others.entries));
  }

  /** The compared ranges that backups have otherwise, by their places in the question. */
  Map<Integer, Differing> differing() {
    return differing;
  }

  boolean complete() {
    return awaited.isEmpty();
  }

  /** The backups for which the step is repeated. */
  Set<NodeId> again() {
    Set<NodeId> again = new TreeSet<>(awaited);
    again.addAll(unlevel);
    return again;
  }

  /** The backups for which it is not. */
  Set<NodeId> settled() {
    Set<NodeId> settled = new TreeSet<>(asked);
    settled.removeAll(again());
    return settled;
  }
}
