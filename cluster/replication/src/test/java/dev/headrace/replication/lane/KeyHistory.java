package dev.headrace.replication.lane;

import dev.headrace.replication.message.Operation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What callers did to one key and what they were told, reads included, and whether some order of
 * the operations explains it: each between its begin and its end, each once, those of unknown
 * outcome perhaps never. The search follows Wing and Gong, with Lowe's memory of (done, state).
 *
 * <p>A read may show a write before it is acknowledged, another one may still miss it at an owner
 * that does not have it yet, and a crash may undo it. So a read fits out of the order as long as
 * the write that it shows was not there to stay. Writes of known versions keep the order of these.
 *
 * <p>A value that expires stays what the key has; an operation finds it or nothing, as its time
 * allows. So two primaries whose clocks differ may find the one and then the other.
 */
final class KeyHistory {
  private static final int ABSENT = 0;
  private static final int MAX_STEPS = 63;

  private final FirmTerms terms;
  private final Lifespans lifespans;
  private final List<Step> steps = new ArrayList<>();
  private final Map<Integer, Version> versions = new HashMap<>();

  /** Values that may have been written before a loss and again after it, with another version. */
  private final Set<Integer> repeated = new HashSet<>();

  /** When a value was written, as the cluster counts: the primary's term and its number. */
  record Version(long term, long counter) implements Comparable<Version> {
    @Override
    public int compareTo(Version other) {
      int byTerm = Long.compare(term, other.term);
      return byTerm != 0 ? byTerm : Long.compare(counter, other.counter);
    }
  }

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

    /** The epoch of the owners under whom it was answered, 0 if that does not matter. */
    long ownersEpoch;

    /** The version that it compared with, or that it has read; null for an absent key. */
    Version version;

    /** The version that it certainly wrote, or null. */
    Version wrote;

    /** Whether it compared with a version that nobody has acknowledged. */
    boolean ofUnknownVersion;

    /** Whether what it has read may have been undone. */
    boolean tentative;

    Step(Kind kind, int value, int expected, long begin) {
      this.kind = kind;
      this.value = value;
      this.expected = expected;
      this.begin = begin;
    }

    /**
     * The state after it, or -1 if its answer does not fit what it finds.
     *
     * @param state the state before
     * @param found what it finds of that: the state, or nothing, because that has expired
     */
    int apply(int state, int found) {
      if (kind == Kind.GET) {
        return found == value || tentative ? state : -1;
      }
      boolean holds =
          switch (kind) {
            case PUT, CLEAR -> true;
            case PUT_IF_ABSENT -> found == ABSENT;
            case REPLACE, REMOVE -> found != ABSENT;
            case REPLACE_IF_EQUAL, REMOVE_IF_EQUAL, REPLACE_IF_VERSION, REMOVE_IF_VERSION ->
                found == expected;
            default -> throw new IllegalArgumentException(kind.toString());
          };
      boolean otherVersion = ofUnknownVersion && !applied;
      if (answered && kind != Kind.CLEAR && holds != applied && !otherVersion) {
        return -1;
      }
      if (answered && previousKnown && previous != found) {
        return -1;
      }
      return !holds || (answered && otherVersion) ? state : kind.writesValue() ? value : ABSENT;
    }

    /**
     * Whether a read may have found nothing because of this: a removal, or a write of what was over
     * when the read ended. A removal that was answered that there is nothing to remove may have
     * been carried out before, seen and undone, but only by owners before those who answered: these
     * know what they themselves have done.
     */
    boolean mayHideFrom(Step read, Lifespans lifespans) {
      boolean hides =
          kind.writesValue() ? lifespans.mayBeHidden(value, read.end) : kind != Kind.GET;
      return hides && (!answered || applied || read.ownersEpoch < ownersEpoch);
    }

    @Override
    public String toString() {
      return "[%d..%s] %s value=%d expected=%d %s%s%s"
          .formatted(
              begin,
              end == Long.MAX_VALUE ? "?" : end,
              kind,
              value,
              expected,
              answered ? "applied=" + applied : "unknown",
              previousKnown ? " previous=" + previous : "",
              version == null ? "" : (tentative ? " tentative " : " ") + version);
    }
  }

  /**
   * The history of a key.
   *
   * @param terms what is known of its segment
   * @param lifespans when values expire
   */
  KeyHistory(FirmTerms terms, Lifespans lifespans) {
    this.terms = terms;
    this.lifespans = lifespans;
  }

  Step begin(Kind kind, int value, int expected, long now) {
    Step step = new Step(kind, value, expected, now);
    steps.add(step);
    return step;
  }

  /**
   * Somebody has read the key.
   *
   * @param value what was there, 0 for nothing
   * @param version of what was there, null for nothing
   */
  Step read(int value, Version version, long begin, long end) {
    Step step = begin(Kind.GET, value, 0, begin);
    step.end = end;
    step.answered = true;
    step.applied = value != ABSENT;
    step.version = version;
    return step;
  }

  /**
   * Everything that the key held is lost, and says so, at some time from now on; so are the results
   * of operations, so that what is under way may have been carried out already and be again.
   *
   * @param end by then at the latest
   */
  void lose(long now, long end) {
    for (Step step : List.copyOf(steps)) {
      if (!step.answered) {
        begin(step.kind, step.value, step.expected, step.begin);
        repeated.add(step.value);
      }
    }
    Step step = begin(Kind.CLEAR, 0, 0, now);
    step.end = end;
    step.answered = true;
    step.applied = true;
  }

  int size() {
    return steps.size();
  }

  /** The value of the last write that has begun, 0 if there is none. */
  int latestValue() {
    int latest = ABSENT;
    for (Step step : steps) {
      latest = step.kind.writesValue() ? step.value : latest;
    }
    return latest;
  }

  /** The version of a value, from the answer to the operation that wrote it. */
  void acknowledge(int value, Version version) {
    versions.put(value, version);
  }

  /** Takes back an operation that certainly was not carried out. */
  void cancel(Step step) {
    steps.remove(step);
  }

  /**
   * Whether some order explains all answers and ends with this value, 0 for absent.
   *
   * @param finalValue what is there when everything has expired that does
   */
  boolean explains(int finalValue) {
    while (steps.size() > MAX_STEPS && steps.removeIf(step -> isLastRead(step))) {}
    if (steps.size() > MAX_STEPS) {
      throw new IllegalStateException("too many operations on one key: " + steps.size());
    }
    Map<Integer, Version> firm = new HashMap<>(versions);
    for (Step step : steps) {
      if (step.kind == Kind.GET
          && step.value != ABSENT
          && !lifespans.mayBeSeen(step.value, step.begin)) {
        return false; // out of order or not
      }
      if (step.kind == Kind.GET
          && step.value != ABSENT
          && firmAt(step.version) != FirmTerms.NEVER) {
        Version before = firm.putIfAbsent(step.value, step.version);
        if (before != null && !before.equals(step.version) && !repeated.contains(step.value)) {
          return false; // written twice
        }
      }
    }
    firm.keySet().removeAll(repeated); // which of the two it was, nobody knows
    for (Step step : steps) {
      if (step.kind == Kind.GET) {
        step.tentative =
            step.value == ABSENT ? mayReappear(step) : isAhead(step, firm.get(step.value));
      } else if (step.kind.writesValue()) {
        step.wrote = firm.get(step.value);
      }
      if (step.kind != Kind.GET && step.version != null && step.expected != ABSENT) {
        // A read may show a write that is then undone and made again, with another version.
        step.ofUnknownVersion = !step.version.equals(versions.get(step.expected));
      }
    }
    return search(0, ABSENT, finalValue, new HashSet<>());
  }

  private boolean isLastRead(Step step) {
    int last = -1;
    for (int index = 0; index < steps.size(); index++) {
      last = steps.get(index).kind == Kind.GET ? index : last;
    }
    return last >= 0 && steps.get(last) == step;
  }

  private long firmAt(Version version) {
    return terms.firmAt(version.term, version.counter);
  }

  /**
   * Whether a read shows a write that was not there to stay when it began.
   *
   * @param firm the version with which that was written for good, null if it never was
   */
  private boolean isAhead(Step read, Version firm) {
    Step writer = writerOf(read.value);
    if (writer == null || writer.begin > read.end) {
      return false;
    }
    long firmNanos = firm == null ? FirmTerms.NEVER : firmAt(firm);
    boolean notYet = Math.min(writer.end, firmNanos) >= read.begin;
    boolean undone = firm == null || read.version.term < firm.term;
    return notYet && (undone || read.version.equals(firm));
  }

  /** Whether the key was perhaps absent for a while only, because of a removal under way. */
  private boolean mayReappear(Step read) {
    return steps.stream()
        .anyMatch(
            step ->
                step.mayHideFrom(read, lifespans)
                    && step.begin <= read.end
                    && step.end >= read.begin);
  }

  private Step writerOf(int value) {
    for (Step step : steps) {
      if (step.kind.writesValue() && step.value == value) {
        return step;
      }
    }
    return null;
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
        complete &= !step.answered && step.wrote == null;
        firstEnd = Math.min(firstEnd, step.end);
      }
    }
    if (complete && (lifespans.expiryMillis(state) == 0 ? state : ABSENT) == finalValue) {
      return true;
    }
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if ((done & 1L << i) == 0 && step.begin <= firstEnd && isNext(step, done)) {
        long next = done | 1L << i;
        if (lifespans.mayBeSeen(state, step.begin)
            && searchAfter(step.apply(state, state), next, finalValue, seen)) {
          return true;
        }
        if (lifespans.mayBeHidden(state, step.end)
            && searchAfter(step.apply(state, ABSENT), next, finalValue, seen)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean searchAfter(int state, long done, int finalValue, Set<Place> seen) {
    return state >= 0 && search(done, state, finalValue, seen);
  }

  /** Whether no write of an earlier version is left. */
  private boolean isNext(Step step, long done) {
    for (int i = 0; step.wrote != null && i < steps.size(); i++) {
      Version other = steps.get(i).wrote;
      if ((done & 1L << i) == 0 && other != null && other.compareTo(step.wrote) < 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Step step : steps) {
      text.append("\n    ").append(step);
      if (step.kind.writesValue() && lifespans.expiryMillis(step.value) > 0) {
        text.append(" expires at ").append(lifespans.expiryMillis(step.value)).append(" ms");
      }
    }
    return text.toString();
  }
}
