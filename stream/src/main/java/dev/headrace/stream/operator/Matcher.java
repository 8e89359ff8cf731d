package dev.headrace.stream.operator;

import dev.headrace.api.stream.operator.EntryCondition.Relation;
import java.util.Arrays;

/** A condition as a node evaluates it. Immutable. */
abstract sealed class Matcher {

  /** Whether the frame's entry is wanted. */
  abstract boolean matches(EntryFrame frame);

  static boolean holds(Relation relation, int order) {
    return switch (relation) {
      case EQUAL -> order == 0;
      case UNEQUAL -> order != 0;
      case LESS -> order < 0;
      case AT_MOST -> order <= 0;
      case GREATER -> order > 0;
      case AT_LEAST -> order >= 0;
    };
  }

  static final class All extends Matcher {
    private final Matcher[] parts;

    All(Matcher[] parts) {
      this.parts = parts;
    }

    @Override
    boolean matches(EntryFrame frame) {
      for (Matcher part : parts) {
        if (!part.matches(frame)) {
          return false;
        }
      }
      return true;
    }
  }

  static final class Any extends Matcher {
    private final Matcher[] parts;

    Any(Matcher[] parts) {
      this.parts = parts;
    }

    @Override
    boolean matches(EntryFrame frame) {
      for (Matcher part : parts) {
        if (part.matches(frame)) {
          return true;
        }
      }
      return false;
    }
  }

  static final class Not extends Matcher {
    private final Matcher part;

    Not(Matcher part) {
      this.part = part;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return !part.matches(frame);
    }
  }

  static final class Absent extends Matcher {
    private final Path path;

    Absent(Path path) {
      this.path = path;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return !path.find(frame);
    }
  }

  static final class WholeNumber extends Matcher {
    private final Path path;
    private final Relation relation;
    private final long constant;

    WholeNumber(Path path, Relation relation, long constant) {
      this.path = path;
      this.relation = relation;
      this.constant = constant;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return path.find(frame) && holds(relation, Long.compare(path.number(frame), constant));
    }
  }

  static final class FloatingNumber extends Matcher {
    private final Path path;
    private final Relation relation;
    private final double constant;

    FloatingNumber(Path path, Relation relation, double constant) {
      this.path = path;
      this.relation = relation;
      this.constant = constant;
    }

    @Override
    boolean matches(EntryFrame frame) {
      if (!path.find(frame)) {
        return false;
      }
      double number = path.floating(frame);
      return switch (relation) {
        case EQUAL -> number == constant;
        case UNEQUAL -> number != constant;
        case LESS -> number < constant;
        case AT_MOST -> number <= constant;
        case GREATER -> number > constant;
        case AT_LEAST -> number >= constant;
      };
    }
  }

  static final class Bytes extends Matcher {
    private final Path path;
    private final Relation relation;
    private final byte[] constant;

    Bytes(Path path, Relation relation, byte[] constant) {
      this.path = path;
      this.relation = relation;
      this.constant = constant;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return path.find(frame) && holds(relation, compare(frame, constant));
    }
  }

  /** Compares the part that was found, as unsigned bytes. */
  static int compare(EntryFrame frame, byte[] constant) {
    return Arrays.compareUnsigned(frame.bytes, frame.from, frame.to, constant, 0, constant.length);
  }

  static final class Moment extends Matcher {
    private final Path path;
    private final Relation relation;
    private final long seconds;
    private final int nanos;

    Moment(Path path, Relation relation, long seconds, int nanos) {
      this.path = path;
      this.relation = relation;
      this.seconds = seconds;
      this.nanos = nanos;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return path.find(frame) && holds(relation, path.compareInstant(frame, seconds, nanos));
    }
  }

  static final class Version extends Matcher {
    private final Relation relation;
    private final long term;
    private final long counter;

    Version(Relation relation, long term, long counter) {
      this.relation = relation;
      this.term = term;
      this.counter = counter;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return holds(relation, Path.compareVersion(frame, term, counter));
    }
  }

  static final class Prefix extends Matcher {
    private final Path path;
    private final byte[] prefix;

    Prefix(Path path, byte[] prefix) {
      this.path = path;
      this.prefix = prefix;
    }

    @Override
    boolean matches(EntryFrame frame) {
      int length = prefix.length;
      return path.find(frame)
          && frame.to - frame.from >= length
          && Arrays.equals(frame.bytes, frame.from, frame.from + length, prefix, 0, length);
    }
  }

  static final class AmongNumbers extends Matcher {
    private final Path path;
    private final long[] sorted;

    AmongNumbers(Path path, long[] sorted) {
      this.path = path;
      this.sorted = sorted;
    }

    @Override
    boolean matches(EntryFrame frame) {
      return path.find(frame) && Arrays.binarySearch(sorted, path.number(frame)) >= 0;
    }
  }

  static final class AmongBytes extends Matcher {
    private final Path path;
    private final byte[][] sorted;

    AmongBytes(Path path, byte[][] sorted) {
      this.path = path;
      this.sorted = sorted;
    }

    @Override
    boolean matches(EntryFrame frame) {
      if (!path.find(frame)) {
        return false;
      }
      int low = 0;
      int high = sorted.length - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        int order = compare(frame, sorted[middle]);
        if (order == 0) {
          return true;
        } else if (order < 0) {
          high = middle - 1;
        } else {
          low = middle + 1;
        }
      }
      return false;
    }
  }
}
