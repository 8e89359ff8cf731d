package dev.headrace.rebalance.table;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.table.bits.BitInput;
import dev.headrace.rebalance.table.bits.BitOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rows of segments that lie one behind the other, with their epochs and incarnations, as they
 * travel: alone to repair a table that differs, all of them in a table's image. Immutable.
 *
 * <p>The form is one column after the other. Row lengths and ordinals take as many bits as the
 * greatest needs; the segments' epochs are a list of the different ones, the newest first, and for
 * each segment the place in it; incarnations are listed where they are not 0. A row's length takes
 * at least one bit, so that no few bytes can claim many segments.
 */
public final class TableSlice {
  private static final String WHAT = "A part of a segment table";

  private final long epoch;
  private final int from;

  /** Where each row begins in {@link #ordinals}, and behind the last where that ends. */
  private final int[] starts;

  private final short[] ordinals;
  private final long[] segmentEpochs;
  private final int[] incarnations; // empty if no segment here ever lost all its owners

  private TableSlice(
      long epoch,
      int from,
      int[] starts,
      short[] ordinals,
      long[] segmentEpochs,
      int[] incarnations) {
    this.epoch = epoch;
    this.from = from;
    this.starts = starts;
    this.ordinals = ordinals;
    this.segmentEpochs = segmentEpochs;
    this.incarnations = incarnations;
  }

  static TableSlice of(SegmentTable table, int from, int to) {
    int count = to - from;
    int[] starts = new int[count + 1];
    long[] epochs = new long[count];
    int[] incarnations = new int[count];
    for (int i = 0; i < count; i++) {
      RowChunk chunk = table.chunk(from + i);
      starts[i + 1] = Math.addExact(starts[i], chunk.length(from + i));
      epochs[i] = chunk.epoch(from + i);
      incarnations[i] = chunk.incarnation(from + i);
    }
    short[] ordinals = new short[starts[count]];
    for (int i = 0; i < count; i++) {
      short[] row = table.chunk(from + i).row(from + i);
      System.arraycopy(row, 0, ordinals, starts[i], row.length);
    }
    boolean raised = Arrays.stream(incarnations).anyMatch(incarnation -> incarnation != 0);
    return new TableSlice(
        table.epoch(), from, starts, ordinals, epochs, raised ? incarnations : new int[0]);
  }

  /** The epoch of the table that it was taken from. */
  public long epoch() {
    return epoch;
  }

  /** The first segment. */
  public int from() {
    return from;
  }

  /** The segment behind the last. */
  public int to() {
    return from + segmentEpochs.length;
  }

  public BitOutput encoded() {
    BitOutput out = new BitOutput();
    out.vint(epoch);
    out.vint(from);
    out.vint(segmentEpochs.length);
    encodeRows(out);
    return out;
  }

  public static TableSlice decode(ByteBuffer in) {
    BitInput bits = new BitInput(in, WHAT);
    long epoch = bits.vint(Long.MAX_VALUE, "epoch");
    int from = bits.vint(TableHeader.MAX_SEGMENTS, "first segment");
    int count = bits.vint(TableHeader.MAX_SEGMENTS - from, "number of segments");
    return decodeRows(bits, epoch, from, count);
  }

  /** Puts the rows into a table that is being made. */
  void putInto(RowEditor rows) {
    for (int i = 0; i < segmentEpochs.length; i++) {
      short[] row = Arrays.copyOfRange(ordinals, starts[i], starts[i + 1]);
      rows.put(from + i, row, segmentEpochs[i], incarnation(i));
    }
  }

  /**
   * The same rows with other numbers for their owners.
   *
   * @param numbers by the number that stands here, the one to stand there
   * @throws WireException if a number has no other
   */
  TableSlice mapped(short[] numbers) {
    short[] mapped = new short[ordinals.length];
    for (int at = 0; at < mapped.length; at++) {
      if (ordinals[at] >= numbers.length) {
        throw new WireException(WHAT + " is damaged: it has no owner " + ordinals[at]);
      }
      mapped[at] = numbers[ordinals[at]];
    }
    return new TableSlice(epoch, from, starts, mapped, segmentEpochs, incarnations);
  }

  /** Appends everything but epoch and range. */
  void encodeRows(BitOutput out) {
    int count = segmentEpochs.length;
    int greatest = 0;
    for (short ordinal : ordinals) {
      greatest = Math.max(greatest, ordinal);
    }
    int least = count == 0 ? 0 : Integer.MAX_VALUE;
    int most = 0;
    for (int i = 0; i < count; i++) {
      least = Math.min(least, length(i));
      most = Math.max(most, length(i));
    }
    int ordinalBits = BitOutput.width(greatest);
    int lengthBits = Math.max(1, BitOutput.width(most - least));
    out.vint(ordinalBits);
    out.vint(least);
    out.vint(lengthBits);
    for (int i = 0; i < count; i++) {
      out.bits(length(i) - least, lengthBits);
    }
    out.align();
    for (short ordinal : ordinals) {
      out.bits(ordinal, ordinalBits);
    }
    encodeEpochs(out);
    encodeIncarnations(out);
  }

  private void encodeEpochs(BitOutput out) {
    long[] different = different();
    out.vint(different.length);
    long before = epoch + 1;
    for (int place = different.length - 1; place >= 0; place--) {
      out.gamma(before - different[place]);
      before = different[place];
    }
    int width = BitOutput.width(Math.max(0, different.length - 1));
    for (long segmentEpoch : segmentEpochs) {
      int place = Arrays.binarySearch(different, segmentEpoch);
      out.bits(different.length - 1L - place, width);
    }
  }

  /** The segments' epochs in order, each once. */
  private long[] different() {
    long[] different = segmentEpochs.clone();
    Arrays.sort(different);
    int count = 0;
    for (long each : different) {
      if (count == 0 || different[count - 1] != each) {
        different[count++] = each;
      }
    }
    return Arrays.copyOf(different, count);
  }

  private void encodeIncarnations(BitOutput out) {
    out.vint(Arrays.stream(incarnations).filter(incarnation -> incarnation != 0).count());
    int next = 0;
    for (int i = 0; i < incarnations.length; i++) {
      if (incarnations[i] != 0) {
        out.vint(i - next);
        out.vint(incarnations[i]);
        next = i + 1;
      }
    }
  }

  /** Reads what {@link #encodeRows} appended. */
  static TableSlice decodeRows(BitInput in, long epoch, int from, int count) {
    int ordinalBits = in.vint(Short.SIZE - 1, "width of ordinals");
    int[] starts = decodeLengths(in, count, 1 << ordinalBits);
    in.needBits((long) starts[count] * ordinalBits, "owners");
    short[] ordinals = new short[starts[count]];
    for (int at = 0; at < ordinals.length; at++) {
      ordinals[at] = (short) in.bits(ordinalBits);
    }
    long[] epochs = decodeEpochs(in, epoch, count);
    return new TableSlice(epoch, from, starts, ordinals, epochs, decodeIncarnations(in, count));
  }

  private static int[] decodeLengths(BitInput in, int count, int maxLength) {
    int least = in.vint(maxLength, "length of rows");
    int width = in.vint(Short.SIZE - 1, "width of lengths");
    if (width == 0) {
      throw new WireException(WHAT + " is damaged: its rows have no lengths");
    }
    in.needBits((long) count * width, "lengths of rows");
    int[] starts = new int[count + 1];
    for (int i = 0; i < count; i++) {
      int length = least + (int) in.bits(width);
      // No owner is in a row twice, so there are no more than ordinals can tell apart.
      if (length > maxLength || starts[i] > Integer.MAX_VALUE - length) {
        throw new WireException(WHAT + " is damaged: a row has " + length + " owners");
      }
      starts[i + 1] = starts[i] + length;
    }
    in.align();
    return starts;
  }

  private static long[] decodeEpochs(BitInput in, long epoch, int count) {
    int different = in.vint(count, "number of epochs");
    in.needBits(different, "epochs");
    long[] newestFirst = new long[different];
    long before = epoch + 1;
    for (int place = 0; place < different; place++) {
      before -= in.gamma();
      if (before < 0) {
        throw new WireException(WHAT + " is damaged: a segment has an epoch below 0");
      }
      newestFirst[place] = before;
    }
    int width = BitOutput.width(Math.max(0, different - 1));
    in.needBits((long) count * width, "segments' epochs");
    long[] epochs = new long[count];
    for (int i = 0; i < count; i++) {
      int place = (int) in.bits(width);
      if (place >= different) {
        throw new WireException(WHAT + " is damaged: there is no epoch " + place);
      }
      epochs[i] = newestFirst[place];
    }
    in.align();
    return epochs;
  }

  private static int[] decodeIncarnations(BitInput in, int count) {
    int raised = in.vint(count, "number of incarnations");
    in.needBits(raised * 16L, "incarnations");
    int[] incarnations = new int[raised == 0 ? 0 : count];
    int next = 0;
    for (int i = 0; i < raised; i++) {
      next += in.vint(count - 1 - next, "segment with an incarnation");
      incarnations[next++] = in.vint(Integer.MAX_VALUE, "incarnation");
    }
    return incarnations;
  }

  private int length(int index) {
    return starts[index + 1] - starts[index];
  }

  private int incarnation(int index) {
    return incarnations.length == 0 ? 0 : incarnations[index];
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof TableSlice slice
            && epoch == slice.epoch
            && from == slice.from
            && Arrays.equals(starts, slice.starts)
            && Arrays.equals(ordinals, slice.ordinals)
            && Arrays.equals(segmentEpochs, slice.segmentEpochs)
            && Arrays.equals(incarnations, slice.incarnations));
  }

  @Override
  public int hashCode() {
    return 31 * (31 * from + Arrays.hashCode(ordinals)) + Arrays.hashCode(segmentEpochs);
  }

  @Override
  public String toString() {
    return "slice (segments %d to %d at epoch %s)".formatted(from, to(), Epoch.toString(epoch));
  }
}
