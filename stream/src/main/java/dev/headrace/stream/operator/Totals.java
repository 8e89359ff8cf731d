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

  private long[] counts = new long[8];
  private long[] low = new long[8];
  private long[] high = new long[8];
  private long[] least = new long[8];
  private long[] greatest = new long[8];

  void reserve(int groups) {
    if (groups > counts.length) {
      int length = Math.max(groups, 2 * counts.length);
      counts = Arrays.copyOf(counts, length);
      low = Arrays.copyOf(low, length);
      high = Arrays.copyOf(high, length);
      least = Arrays.copyOf(least, length);
      greatest = Arrays.copyOf(greatest, length);
    }
  }

  long count(int group) {
    return counts[group];
  }

  long low(int group) {
    return low[group];
  }

  long high(int group) {
    return high[group];
  }

  long least(int group) {
    return least[group];
  }

  long greatest(int group) {
    return greatest[group];
  }

  void add(int group, long number) {
    if (counts[group]++ == 0) {
      least[group] = number;
      greatest[group] = number;
    } else {
      least[group] = Math.min(least[group], number);
      greatest[group] = Math.max(greatest[group], number);
    }
    add128(group, number, number >> 63);
  }

  private void add128(int group, long moreLow, long moreHigh) {
    long sum = low[group] + moreLow;
    int carry = Long.compareUnsigned(sum, moreLow) < 0 ? 1 : 0;
    low[group] = sum;
    high[group] += moreHigh + carry;
  }

  void add(int group, double number) {
    if (counts[group]++ == 0) {
      least[group] = Double.doubleToLongBits(number);
      greatest[group] = least[group];
    } else {
      least[group] = Double.doubleToLongBits(Math.min(asDouble(least[group]), number));
      greatest[group] = Double.doubleToLongBits(Math.max(asDouble(greatest[group]), number));
    }
    addRounded(group, number, 0);
  }

  private void addRounded(int group, double number, double itsError) {
    double before = asDouble(low[group]);
    double sum = before + number;
    double lost =
        Math.abs(before) >= Math.abs(number) ? (before - sum) + number : (number - sum) + before;
    double error = asDouble(high[group]) + itsError + (Double.isFinite(sum) ? lost : 0);
    low[group] = Double.doubleToLongBits(sum);
    high[group] = Double.doubleToLongBits(error);
  }

  static double asDouble(long bits) {
    return Double.longBitsToDouble(bits);
  }

  void write(int group, ByteOutput out) {
    out.writeVarLong(counts[group]);
    if (counts[group] > 0) {
      out.writeLong(low[group]);
      out.writeLong(high[group]);
      out.writeLong(least[group]);
      out.writeLong(greatest[group]);
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
    boolean first = counts[group] == 0;
    counts[group] += more;
    if (floating) {
      addRounded(group, asDouble(moreLow), asDouble(moreHigh));
      double smaller = Math.min(asDouble(first ? itsLeast : least[group]), asDouble(itsLeast));
      double larger =
          Math.max(asDouble(first ? itsGreatest : greatest[group]), asDouble(itsGreatest));
      least[group] = Double.doubleToLongBits(smaller);
      greatest[group] = Double.doubleToLongBits(larger);
    } else {
      add128(group, moreLow, moreHigh);
      least[group] = first ? itsLeast : Math.min(least[group], itsLeast);
      greatest[group] = first ? itsGreatest : Math.max(greatest[group], itsGreatest);
    }
  }
}
