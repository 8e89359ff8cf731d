package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.util.Arrays;

/**
 * Sum, least and greatest of the numbers of some groups. Whole numbers are added up in 128 bits;
 * floating-point ones as Neumaier does it, with the sum of the rounding errors beside. For one
 * thread.
 */
final class Totals {

  // A group's cells lie together, so that adding to it touches one or two cache lines.
  private static final int COUNT = 0;
  private static final int LOW = 1;
  private static final int HIGH = 2;
  private static final int LEAST = 3;
  private static final int GREATEST = 4;
  private static final int CELLS = 5;

  private long[] cells = new long[8 * CELLS];

  void reserve(int groups) {
    long needed = (long) groups * CELLS;
    if (needed > cells.length) {
      long doubled = Math.min(Integer.MAX_VALUE - 64, 2L * cells.length);
      cells = Arrays.copyOf(cells, Math.toIntExact(Math.max(needed, doubled)));
    }
  }

  long count(int group) {
    return cells[group * CELLS + COUNT];
  }

  long low(int group) {
    return cells[group * CELLS + LOW];
  }

  long high(int group) {
    return cells[group * CELLS + HIGH];
  }

  long least(int group) {
    return cells[group * CELLS + LEAST];
  }

  long greatest(int group) {
    return cells[group * CELLS + GREATEST];
  }

  void add(int group, long number) {
    long[] all = cells;
    int at = group * CELLS;
    if (all[at + COUNT]++ == 0) {
      all[at + LEAST] = number;
      all[at + GREATEST] = number;
    } else {
      all[at + LEAST] = Math.min(all[at + LEAST], number);
      all[at + GREATEST] = Math.max(all[at + GREATEST], number);
    }
    add128(at, number, number >> 63);
  }

  private void add128(int at, long moreLow, long moreHigh) {
    long sum = cells[at + LOW] + moreLow;
    int carry = Long.compareUnsigned(sum, moreLow) < 0 ? 1 : 0;
    cells[at + LOW] = sum;
    cells[at + HIGH] += moreHigh + carry;
  }

  void add(int group, double number) {
    long[] all = cells;
    int at = group * CELLS;
    if (all[at + COUNT]++ == 0) {
      all[at + LEAST] = Double.doubleToLongBits(number);
      all[at + GREATEST] = all[at + LEAST];
    } else {
      all[at + LEAST] = smaller(all[at + LEAST], number);
      all[at + GREATEST] = larger(all[at + GREATEST], number);
    }
    addRounded(at, number, 0);
  }

  private static long smaller(long bits, double number) {
    return Double.doubleToLongBits(Math.min(asDouble(bits), number));
  }

  private static long larger(long bits, double number) {
    return Double.doubleToLongBits(Math.max(asDouble(bits), number));
  }

  private void addRounded(int at, double number, double itsError) {
    double before = asDouble(cells[at + LOW]);
    double sum = before + number;
    double lost =
        Math.abs(before) >= Math.abs(number) ? (before - sum) + number : (number - sum) + before;
    double error = asDouble(cells[at + HIGH]) + itsError + (Double.isFinite(sum) ? lost : 0);
    cells[at + LOW] = Double.doubleToLongBits(sum);
    cells[at + HIGH] = Double.doubleToLongBits(error);
  }

  static double asDouble(long bits) {
    return Double.longBitsToDouble(bits);
  }

  void write(int group, ByteOutput out) {
    out.writeVarLong(count(group));
    if (count(group) > 0) {
      out.writeLong(low(group));
      out.writeLong(high(group));
      out.writeLong(least(group));
      out.writeLong(greatest(group));
    }
  }

  /** Adds what {@link #write} wrote to a group. */
  void addWritten(int group, boolean floating, ByteInput in) {
    long more = in.readVarLong();
    if (more == 0) {
      return;
    }
    long moreLow = in.readLong();
    long moreHigh = in.readLong();
    long itsLeast = in.readLong();
    long itsGreatest = in.readLong();
    int at = group * CELLS;
    boolean first = cells[at + COUNT] == 0;
    cells[at + COUNT] += more;
    if (floating) {
      addRounded(at, asDouble(moreLow), asDouble(moreHigh));
      cells[at + LEAST] = smaller(first ? itsLeast : cells[at + LEAST], asDouble(itsLeast));
      cells[at + GREATEST] =
          larger(first ? itsGreatest : cells[at + GREATEST], asDouble(itsGreatest));
    } else {
      add128(at, moreLow, moreHigh);
      cells[at + LEAST] = first ? itsLeast : Math.min(cells[at + LEAST], itsLeast);
      cells[at + GREATEST] = first ? itsGreatest : Math.max(cells[at + GREATEST], itsGreatest);
    }
  }
}
