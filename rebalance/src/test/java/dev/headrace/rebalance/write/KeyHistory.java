package dev.headrace.rebalance.write;

import dev.headrace.rebalance.message.Operation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What callers did to one key and what they were told, and whether some order of the operations
 * explains it: each between its begin and its end, each once, those of unknown outcome perhaps
 * never. The search follows Wing and Gong, with Lowe's memory of (done, state).
 */
final class KeyHistory {
  private static final int ABSENT = 0;

  private final List<Step> steps = new ArrayList<>();
  private final Map<Integer, String> versions = new HashMap<>();

  /** One operation on the key. Values are numbers; each is written by one operation only. */
  static final class Step {
    final Kind kind;
    final int value;
    final int expected;
    final long begin;
    long end = Long.MAX_VALUE;
    boolean answered;
    boolean applied;
    boolean previousKnown;
    int previous;

    /** The version that it compared with, for the kinds that do. */
    String version;

    /** Whether it compared with a version that nobody has acknowledged. */
    boolean ofUnknownVersion;

    Step(Kind kind, int value, int expected, long begin) {
      this.kind = kind;
      this.value = value;
      this.expected = expected;
      this.begin = begin;
    }

    /** The state after it, or -1 if its answer does not fit the state before. */
    int apply(int state) {
      boolean holds =
          switch (kind) {
            case PUT, CLEAR -> true;
            case PUT_IF_ABSENT -> state == ABSENT;
            case REPLACE, REMOVE -> state != ABSENT;
            case REPLACE_IF_EQUAL, REMOVE_IF_EQUAL, REPLACE_IF_VERSION, REMOVE_IF_VERSION ->
                state == expected;
            default -> throw new IllegalArgumentException(kind.toString());
          };
      boolean otherVersion = ofUnknownVersion && !applied;
      if (answered && kind != Kind.CLEAR && holds != applied && !otherVersion) {
        return -1;
      }
      if (answered && previousKnown && previous != state) {
        return -1;
      }
      return !holds || (answered && otherVersion) ? state : kind.writesValue() ? value : ABSENT;
    }

    @Override
    public String toString() {
      return "[%d..%s] %s value=%d expected=%d %s%s"
          .formatted(
              begin,
              end == Long.MAX_VALUE ? "?" : end,
              kind,
              value,
              expected,
              answered ? "applied=" + applied : "unknown",
              previousKnown ? " previous=" + previous : "");
    }
  }

  Step begin(Kind kind, int value, int expected, long now) {
    Step step = new Step(kind, value, expected, now);
    steps.add(step);
    return step;
  }

  int size() {
    return steps.size();
  }

  List<Step> steps() {
    return steps;
  }

  /** The version of a value, from the answer to the operation that wrote it. */
  void acknowledge(int value, String version) {
    versions.put(value, version);
  }

  /** Takes back an operation that certainly was not carried out. */
  void cancel(Step step) {
    steps.remove(step);
  }

  /** Whether some order explains all answers and ends with this value, 0 for absent. */
  boolean explains(int finalValue) {
    if (steps.size() > 63) {
      throw new IllegalStateException("too many operations on one key: " + steps.size());
    }
    for (Step step : steps) {
      // A read may show a write that is then undone and made again, with another version.
      if (step.version != null && step.expected != ABSENT) {
        step.ofUnknownVersion = !step.version.equals(versions.get(step.expected));
      }
    }
    return search(0, ABSENT, finalValue, new HashSet<>());
  }

  private record Place(long done, int state) {}

  private boolean search(long done, int state, int finalValue, Set<Place> seen) {
    if (!seen.add(new Place(done, state))) {
      return false;
    }
    long firstEnd = Long.MAX_VALUE;
    boolean complete = true;
    for (int i = 0; i < steps.size(); i++) {
      if ((done & 1L << i) == 0) {
        Step step = steps.get(i);
        complete &= !step.answered;
        firstEnd = Math.min(firstEnd, step.end);
      }
    }
    if (complete && state == finalValue) {
      return true;
    }
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if ((done & 1L << i) == 0 && step.begin <= firstEnd) {
        int after = step.apply(state);
        if (after >= 0 && search(done | 1L << i, after, finalValue, seen)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Why a GET must not have returned this, or null if it may: once a write is acknowledged, nobody
   * may be shown less.
   *
   * @param value 0 for absent
   */
  String objection(int value, long begin, long end) {
    Step writer = null;
    for (Step step : steps) {
      if (value != ABSENT && step.value == value) {
        writer = step;
      }
    }
    if (value != ABSENT && (writer == null || writer.begin > end)) {
      return "value " + value + " was never written";
    }
    for (Step step : steps) {
      boolean newer = writer == null || writer.end < step.begin;
      if (step.answered && step.applied && step.end < begin && newer && step != writer) {
        if (value != ABSENT) {
          return "value " + value + " had been replaced by " + step;
        }
        if (step.kind.writesValue() && !removedSince(step, end)) {
          return "absent after " + step;
        }
      }
    }
    return null;
  }

  private boolean removedSince(Step write, long end) {
    for (Step step : steps) {
      boolean removes = !step.kind.writesValue() && (!step.answered || step.applied);
      if (removes && step.end >= write.begin && step.begin <= end) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    steps.forEach(step -> text.append("\n    ").append(Objects.toString(step)));
    return text.toString();
  }
}
