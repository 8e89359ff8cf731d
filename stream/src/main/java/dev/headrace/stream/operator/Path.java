package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.CodecLayout.Scalar;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way to a part of an entry: where it starts, which components lie before it, and what it is.
 * Immutable.
 *
 * <p>A hop leads into a record: it leaves out some components and enters the next. A component is
 * described by one byte: its size ({@link #SIZED} if it carries its length), and {@link #NULLABLE}.
 *
 * <p>Every entry of a walk takes this way, so the hops are translated once into steps: neighbours
 * of fixed sizes are left out in one of them, and none has to look at an object.
 */
final class Path {

  /** Where a path starts. */
  enum Origin {
    KEY,
    VALUE,
    VERSION,
    LIFESPAN
  }

  static final int NULLABLE = 0x80;
  static final int SIZED = 0x7F;
  static final int MAX_HOPS = 16;
  static final int MAX_COMPONENTS = 255;

  private static final int MAX_FIXED_BYTES = 16;

  // A step: bytes to leave out or enter, if these are fixed, and above them these flags.
  private static final int STEP_SIZED = 1;
  private static final int STEP_NULLABLE = 2;
  private static final int STEP_ENTERS = 4;
  private static final int STEP_BYTES_SHIFT = 3;

  /** Any size will do. */
  private static final int ANY_SIZE = -1;

  /** Beside the origin, for a part that was added. */
  private static final int ADDED = 0x10;

  private static final byte[] NOTHING = {};

  private static final Origin[] ORIGINS = Origin.values();
  private static final Scalar[] SCALARS = Scalar.values();
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Origin origin;
  private final List<byte[]> hops;
  private final boolean length;
  private final Scalar type;
  private final @Nullable AddedPart added;
  private final int[] steps;
  private final int wantedBytes;

  /**
   * A way to a part that every value has.
   *
   * @param origin where it starts
   * @param hops each as the components that are left out, then the one that is entered
   * @param length whether the part's number of bytes is meant
   * @param type what the part is
   */
  Path(Origin origin, List<byte[]> hops, boolean length, Scalar type) {
    this(origin, hops, length, type, null);
  }

  /**
   * A way.
   *
   * @param added the part at its end, if not every value has it; the hops lead to its record
   */
  Path(Origin origin, List<byte[]> hops, boolean length, Scalar type, @Nullable AddedPart added) {
    this.origin = origin;
    this.hops = List.copyOf(hops);
    this.length = length;
    this.type = type;
    this.added = added;
    steps = steps(hops, added == null ? NOTHING : added.leftOut());
    boolean any = length || !isInBytes(origin) || type.sizeBytes() == 0;
    wantedBytes = any ? ANY_SIZE : type.sizeBytes();
  }

  /**
   * @param behind the components that are left out in the last record, none of which is entered
   */
  private static int[] steps(List<byte[]> hops, byte[] behind) {
    int[] steps = new int[hops.stream().mapToInt(hop -> hop.length).sum() + behind.length];
    int count = 0;
    int leftOut = 0;
    for (int hopNumber = 0; hopNumber <= hops.size(); hopNumber++) {
      boolean last = hopNumber == hops.size();
      byte[] hop = last ? behind : hops.get(hopNumber);
      for (int i = 0; i < hop.length; i++) {
        int size = hop[i] & SIZED;
        boolean enters = !last && i == hop.length - 1;
        boolean nullable = hop[i] < 0;
        if (!enters && !nullable && size != SIZED) {
          leftOut += size;
          continue;
        }
        if (leftOut > 0) {
          steps[count++] = leftOut << STEP_BYTES_SHIFT;
          leftOut = 0;
        }
        steps[count++] =
            (size == SIZED ? STEP_SIZED : size << STEP_BYTES_SHIFT)
                | (nullable ? STEP_NULLABLE : 0)
                | (enters ? STEP_ENTERS : 0);
      }
    }
    if (leftOut > 0) {
      steps[count++] = leftOut << STEP_BYTES_SHIFT;
    }
    return Arrays.copyOf(steps, count);
  }

  Origin origin() {
    return origin;
  }

  /** Whether the part's number of bytes is meant. */
  boolean length() {
    return length;
  }

  /** What the part is. */
  Scalar type() {
    return type;
  }

  /** Whether only some values have the part, because it was added to their record. */
  boolean isAdded() {
    return added != null;
  }

  void write(ByteOutput out) {
    out.writeByte(code(origin) | (added == null ? 0 : ADDED));
    out.writeByte(length ? 1 : 0);
    out.writeByte(code(type));
    out.writeByte(hops.size());
    for (byte[] hop : hops) {
      out.writeByte(hop.length);
      out.writeBytes(hop);
    }
    if (added != null) {
      added.write(out);
    }
  }

  /** A constant's place in its enum, which is its form in programs of this version. */
  @SuppressWarnings("EnumOrdinal")
  static int code(Enum<?> constant) {
    return constant.ordinal();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  static Path read(ByteInput in) {
    int first = in.readByte();
    Origin origin = ORIGINS[bounded(first & ~ADDED, ORIGINS.length, "an origin")];
    boolean length = bounded(in.readByte(), 2, "a flag") == 1;
    Scalar type = SCALARS[bounded(in.readByte(), SCALARS.length, "a type")];
    int count = bounded(in.readByte(), MAX_HOPS + 1, "a number of hops");
    byte[][] hops = new byte[count][];
    for (int i = 0; i < count; i++) {
      hops[i] = in.readBytes(in.readByte() & 0xFF);
      require(hops[i].length > 0, "a hop enters nothing");
      requireSizes(hops[i]);
    }
    AddedPart added = (first & ADDED) == 0 ? null : AddedPart.read(in);
    boolean leads = count > 0 || added != null;
    require(isInBytes(origin) || !leads, "hops outside of the key and the value");
    return new Path(origin, List.of(hops), length, type, added);
  }

  /** Checks the sizes of components. */
  static void requireSizes(byte[] components) {
    for (byte component : components) {
      int size = component & ~NULLABLE & 0xFF;
      require(size == SIZED || (size >= 1 && size <= MAX_FIXED_BYTES), "a component's size");
    }
  }

  private static boolean isInBytes(Origin origin) {
    return origin == Origin.KEY || origin == Origin.VALUE;
  }

  private static int bounded(int value, int end, String what) {
    require(value >= 0 && value < end, what + " is " + value);
    return value;
  }

  static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException("a program is damaged: " + what);
    }
  }

  /** How many steps it takes to get there, about. */
  int cost() {
    int cost = 1;
    for (byte[] hop : hops) {
      cost += hop.length;
    }
    return added == null ? cost : cost + added.cost();
  }

  /** Whether the part is a number or an order of such, for {@link #number}. */
  boolean isLong() {
    return length
        || type.isWholeNumber()
        || type == Scalar.CHAR
        || type == Scalar.BOOLEAN
        || origin == Origin.LIFESPAN;
  }

  boolean isDouble() {
    return !length && (type == Scalar.FLOAT || type == Scalar.DOUBLE);
  }

  /** Finds the part. Returns false if it is null, or is not what the program expects. */
  boolean find(EntryFrame frame) {
    return reach(frame)
        && (added == null || added.find(frame))
        && (wantedBytes == ANY_SIZE || frame.to - frame.from == wantedBytes);
  }

  /**
   * Whether the part is not in the entry and stands for its default. False if it is no added one,
   * or if there is no record for it to be in.
   */
  boolean isUnwritten(EntryFrame frame) {
    return added != null && reach(frame) && added.isUnwritten(frame);
  }

  /** Goes to the part, or to what lies behind those components that every value has. */
  private boolean reach(EntryFrame frame) {
    switch (origin) {
      case KEY -> {
        frame.from = frame.keyOffset;
        frame.to = frame.keyEnd;
      }
      case VALUE -> {
        frame.from = frame.keyEnd;
        frame.to = frame.valueEnd;
      }
      case VERSION -> {
        return true;
      }
      case LIFESPAN -> {
        return frame.hasExpiry();
      }
    }
    return enter(frame);
  }

  /** Goes the way. Returns false at what is null, or reaches beyond its end. */
  private boolean enter(EntryFrame frame) {
    byte[] bytes = frame.bytes;
    int at = frame.from;
    int end = frame.to;
    for (int step : steps) {
      if ((step & STEP_NULLABLE) != 0) {
        if (at >= end) {
          return false;
        }
        if (bytes[at++] == 0) {
          if ((step & STEP_ENTERS) != 0) {
            return false;
          }
          continue;
        }
      }
      int size = step >>> STEP_BYTES_SHIFT;
      if ((step & STEP_SIZED) != 0) {
        if (at >= end) {
          return false;
        }
        int next = bytes[at++];
        size = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
          if (at >= end || shift > 28) {
            return false;
          }
          next = bytes[at++];
          size |= (next & 0x7F) << shift;
        }
      }
      if (size < 0 || size > end - at) {
        return false;
      }
      if ((step & STEP_ENTERS) != 0) {
        end = at + size;
      } else {
        at += size;
      }
    }
    frame.from = at;
    frame.to = end;
    return true;
  }

  /** The number of the part that was found, if {@link #isLong}. */
  long number(EntryFrame frame) {
    if (length) {
      return (long) frame.to - frame.from;
    }
    if (origin == Origin.LIFESPAN) {
      return frame.remainingMillis();
    }
    return switch (type) {
      case LONG -> (long) LONGS.get(frame.bytes, frame.from);
      case INT -> (int) INTS.get(frame.bytes, frame.from);
      case SHORT -> (short) SHORTS.get(frame.bytes, frame.from);
      case CHAR -> (short) SHORTS.get(frame.bytes, frame.from) & 0xFFFF;
      default -> frame.bytes[frame.from];
    };
  }

  /** The floating-point number of the part that was found, if {@link #isDouble}. */
  double floating(EntryFrame frame) {
    return type == Scalar.DOUBLE
        ? Double.longBitsToDouble((long) LONGS.get(frame.bytes, frame.from))
        : Float.intBitsToFloat((int) INTS.get(frame.bytes, frame.from));
  }

  /** Compares the instant that was found. */
  int compareInstant(EntryFrame frame, long seconds, int nanos) {
    int order = Long.compare((long) LONGS.get(frame.bytes, frame.from), seconds);
    return order != 0
        ? order
        : Integer.compare((int) INTS.get(frame.bytes, frame.from + Long.BYTES), nanos);
  }

  /** Compares the version of the entry. */
  static int compareVersion(EntryFrame frame, long term, long counter) {
    int order = Long.compare(frame.term(), term);
    return order != 0 ? order : Long.compare(frame.counter(), counter);
  }
}
