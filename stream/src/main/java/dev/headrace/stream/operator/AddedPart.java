package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.util.Arrays;

/**
 * A component that a record has got since the cache began: it lies behind those that every value
 * has, by name, in values in which it is not its default. Immutable; nobody may change the arrays.
 *
 * <p>Somebody may have written a component of that name in another format: that is no default, and
 * is not found.
 */
final class AddedPart {
  private static final int SEARCH_COST = 8;
  private static final int DAMAGED = -1;

  private final byte[] leftOut;
  private final byte[] head;
  private final int nameEnd;
  private final boolean nullIsDefault;

  /** What lies where the component would be. */
  private enum Finding {
    /** There is no such component. */
    UNWRITTEN,
    /** It is null. */
    NULL,
    /** The frame has its bytes. */
    PRESENT,
    /** It is something else, or damaged. */
    UNKNOWN
  }

  /**
   * @param leftOut the components before it, as in the hops of a {@link Path}
   * @param head its name and its format, each behind its length
   * @param nullIsDefault whether null stands for its default, since it is of a primitive type
   */
  AddedPart(byte[] leftOut, byte[] head, boolean nullIsDefault) {
    this.leftOut = leftOut;
    this.head = head;
    this.nullIsDefault = nullIsDefault;
    this.nameEnd = behindSized(head, 0, head.length);
    Path.require(nameEnd > 0, "a name");
    Path.require(behindSized(head, nameEnd, head.length) == head.length, "a format");
  }

  byte[] leftOut() {
    return leftOut;
  }

  int cost() {
    return leftOut.length + SEARCH_COST;
  }

  void write(ByteOutput out) {
    out.writeByte(nullIsDefault ? 1 : 0);
    out.writeByte(leftOut.length);
    out.writeBytes(leftOut);
    out.writeVarInt(head.length);
    out.writeBytes(head);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  static AddedPart read(ByteInput in) {
    int flag = in.readByte();
    Path.require(flag == 0 || flag == 1, "a flag is " + flag);
    byte[] leftOut = in.readBytes(in.readByte() & 0xFF);
    Path.requireSizes(leftOut);
    int length = in.readVarInt();
    Path.require(length > 0 && length <= in.remaining(), "a head has " + length + " bytes");
    return new AddedPart(leftOut, in.readBytes(length), flag == 1);
  }

  /** Finds it in what the frame has found behind the other components. */
  boolean find(EntryFrame frame) {
    return search(frame) == Finding.PRESENT;
  }

  /** Whether it is its default there. */
  boolean isUnwritten(EntryFrame frame) {
    Finding finding = search(frame);
    return finding == Finding.UNWRITTEN || (finding == Finding.NULL && nullIsDefault);
  }

  private Finding search(EntryFrame frame) {
    byte[] bytes = frame.bytes;
    int at = frame.from;
    int end = frame.to;
    while (at < end) {
      int formatBegin = behindSized(bytes, at, end);
      int presence = behindSized(bytes, formatBegin, end);
      if (presence == DAMAGED || presence >= end) {
        return Finding.UNKNOWN;
      }
      int next = bytes[presence] == 0 ? presence + 1 : behindSized(bytes, presence + 1, end);
      if (next == DAMAGED) {
        return Finding.UNKNOWN;
      }
      if (Arrays.equals(bytes, at, formatBegin, head, 0, nameEnd)) {
        if (!Arrays.equals(bytes, formatBegin, presence, head, nameEnd, head.length)) {
          return Finding.UNKNOWN;
        } else if (bytes[presence] == 0) {
          return Finding.NULL;
        }
        frame.from = behindLength(bytes, presence + 1, end);
        frame.to = next;
        return Finding.PRESENT;
      }
      at = next;
    }
    return Finding.UNWRITTEN;
  }

  /** The place behind something that follows its length, or {@link #DAMAGED}. */
  private static int behindSized(byte[] bytes, int at, int end) {
    int begin = behindLength(bytes, at, end);
    if (begin == DAMAGED) {
      return DAMAGED;
    }
    int length = 0;
    for (int i = begin - 1; i >= at; i--) {
      length = length << 7 | (bytes[i] & 0x7F);
    }
    return length < 0 || length > end - begin ? DAMAGED : begin + length;
  }

  /** The place behind a length, or {@link #DAMAGED}. */
  private static int behindLength(byte[] bytes, int at, int end) {
    if (at == DAMAGED) {
      return DAMAGED;
    }
    int most = Math.min(end, at + 5);
    for (int i = at; i < most; i++) {
      if (bytes[i] >= 0) {
        return i + 1;
      }
    }
    return DAMAGED;
  }
}
