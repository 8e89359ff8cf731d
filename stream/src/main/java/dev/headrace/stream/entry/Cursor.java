package dev.headrace.stream.entry;

import dev.headrace.api.error.WireException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A place in a segment's hash order: everything up to here has been delivered.
 *
 * <p>It consists of the position of the last entry delivered and, only if a batch ended inside a
 * run of equal positions, that entry's encoded key. It means the same on every replica. The end of
 * a segment is not a cursor but a flag of its own. Immutable, for any thread.
 */
public final class Cursor {

  /** Before the first entry. */
  public static final Cursor START = new Cursor(false, 0, null);

  private static final int KIND_START = 0;
  private static final int KIND_POSITION = 1;
  private static final int KIND_POSITION_AND_KEY = 2;

  private final boolean started;
  private final long position;
  private final byte @Nullable [] key;

  private Cursor(boolean started, long position, byte @Nullable [] key) {
    this.started = started;
    this.position = position;
    this.key = key;
  }

  /** The place behind all entries of a position. */
  public static Cursor after(long position) {
    return new Cursor(true, position, null);
  }

  /** The place behind the entry of a position and encoded key. */
  public static Cursor after(long position, byte[] key) {
    return new Cursor(true, position, key.clone());
  }

  /**
   * The place behind a position and, if there is one, a key. The array is not copied; the caller
   * must not change it.
   */
  public static Cursor owning(long position, byte @Nullable [] key) {
    return new Cursor(true, position, key);
  }

  public boolean isStart() {
    return !started;
  }

  /** The position, unsigned. The start also returns 0; {@link #isStart} tells the two apart. */
  public long position() {
    return position;
  }

  /** Whether entries of the same position may still follow. */
  public boolean insideRun() {
    return key != null;
  }

  /** Whether a key lies at or before this place. */
  public boolean covers(long keyPosition, byte[] encodedKey) {
    if (!started) {
      return false;
    }
    int order = Long.compareUnsigned(keyPosition, position);
    return order < 0
        || (order == 0 && (key == null || Arrays.compareUnsigned(encodedKey, key) <= 0));
  }

  /**
   * The key of the last entry if a batch ended inside a run of equal positions, else null. Not a
   * copy.
   */
  public byte @Nullable [] key() {
    return key;
  }

  /** How many bytes {@link #write} appends. */
  public int encodedBytes() {
    if (!started) {
      return 1;
    }
    return 9 + (key == null ? 0 : EntryLayout.vintBytes(key.length) + key.length);
  }

  /**
   * Appends the binary form: the kind in 1 byte, the position in 8, then the key with its length.
   */
  public void write(ByteBuffer out) {
    if (!started) {
      out.put((byte) KIND_START);
      return;
    }
    out.put((byte) (key == null ? KIND_POSITION : KIND_POSITION_AND_KEY)).putLong(position);
    if (key != null) {
      EntryLayout.putVint(out, key.length);
      out.put(key);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws WireException if the bytes are not a cursor's
   */
  public static Cursor read(ByteBuffer in) {
    try {
      int kind = in.get();
      return switch (kind) {
        case KIND_START -> START;
        case KIND_POSITION -> after(in.getLong());
        case KIND_POSITION_AND_KEY -> owning(in.getLong(), readKey(in));
        default ->
            throw new WireException("no cursor begins with " + kind + "; the message is damaged");
      };
    } catch (BufferUnderflowException e) {
      throw new WireException("a cursor is cut off; the message is damaged", e);
    }
  }

  private static byte[] readKey(ByteBuffer in) {
    int length = EntryLayout.getVint(in);
    if (length < 0 || length > in.remaining()) {
      throw new WireException(
          "a cursor's key claims "
              + Integer.toUnsignedString(length)
              + " bytes, but only "
              + in.remaining()
              + " are left; the message is damaged");
    }
    byte[] key = new byte[length];
    in.get(key);
    return key;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Cursor that
        && that.started == started
        && that.position == position
        && Arrays.equals(that.key, key);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(position) * 31 + Arrays.hashCode(key) + (started ? 1 : 0);
  }

  @Override
  public String toString() {
    if (!started) {
      return "start";
    }
    return "after " + Long.toHexString(position) + (key == null ? "" : " inside a run");
  }
}
