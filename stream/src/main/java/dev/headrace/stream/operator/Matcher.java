package dev.headrace.stream.operator;

import dev.headrace.api.stream.operator.EntryCondition.Relation;
import java.util.Arrays;

/** A condition as a node evaluates it. Immutable; nobody may change the arrays. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
sealed interface Matcher {

  /** Whether the frame's entry is wanted. */
  boolean matches(EntryFrame frame);

  /** Whether an order, as of a comparator, is the wanted one. */
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

  /** Compares the part that was found, as unsigned bytes. */
  static int compare(EntryFrame frame, byte[] constant) {
    return Arrays.compareUnsigned(frame.bytes, frame.from, frame.to, constant, 0, constant.length);
  }

  /**
   * Several conditions.
   *
   * @param all whether all of them must match; else any
   */
  record Several(Matcher[] parts, boolean all) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      for (Matcher part : parts) {
        if (part.matches(frame) != all) {
          return !all;
        }
      }
      return all;
    }
  }

  /** The opposite of a condition. */
  record Not(Matcher part) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return !part.matches(frame);
    }
  }

  /** A part that is null. */
  record Absent(Path path) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return !path.find(frame);
    }
  }

  /** A part that stands for its default, because the value was written without it. */
  record Unwritten(Path path) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return path.isUnwritten(frame);
    }
  }

  /** A whole number. */
  record WholeNumber(Path path, Relation relation, long constant) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return path.find(frame) && holds(relation, Long.compare(path.number(frame), constant));
    }
  }

  /** A floating-point number; not-a-number equals nothing. */
  record FloatingNumber(Path path, Relation relation, double constant) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
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

  /** Text or bytes. */
  record Bytes(Path path, Relation relation, byte[] constant) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return path.find(frame) && holds(relation, compare(frame, constant));
    }
  }

  /** A moment. */
  record Moment(Path path, Relation relation, long seconds, int nanos) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return path.find(frame) && holds(relation, path.compareInstant(frame, seconds, nanos));
    }
  }

  /** The version. */
  record Version(Relation relation, long term, long counter) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return holds(relation, Path.compareVersion(frame, term, counter));
    }
  }

  /** How text or bytes begin. */
  record Prefix(Path path, byte[] prefix) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      int length = prefix.length;
      return path.find(frame)
          && frame.to - frame.from >= length
          && Arrays.equals(frame.bytes, frame.from, frame.from + length, prefix, 0, length);
    }
  }

  /** One of some whole numbers, in order. */
  record AmongNumbers(Path path, long[] sorted) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
      return path.find(frame) && Arrays.binarySearch(sorted, path.number(frame)) >= 0;
    }
  }

  /** One of some texts or bytes, in order. */
  record AmongBytes(Path path, byte[][] sorted) implements Matcher {
    @Override
    public boolean matches(EntryFrame frame) {
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
