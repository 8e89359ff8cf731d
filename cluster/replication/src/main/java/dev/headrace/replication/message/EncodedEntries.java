package dev.headrace.replication.message;

import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some entries of one segment, as one operation writes them and as the mutation that carries it out
 * brings them to every owner: the same bytes all the way.
 *
 * <pre>
 * vint  number of entries
 * each: vint   key length
 *       vint   value length &lt;&lt; 1 | has expiry
 *       8 bytes big-endian expiry in milliseconds of cluster time, if it has one
 *       key bytes
 *       value bytes
 * </pre>
 *
 * <p>They are in the segment's order, by position and then by key, and no key comes twice. So a
 * table in hash order takes them from its one end to the other, and a range of positions is a part
 * of them. Immutable if nobody changes the array, which is taken over.
 */
public final class EncodedEntries {
  /**
   * The most entries. Putting them keeps a lane for a small part of a millisecond, and with steps
   * of a rewrite in between for less than one.
   */
  public static final int MAX_ENTRIES = 128;

  /** The most bytes of all keys and values. */
  public static final int MAX_BYTES = 32 << 10;

  /** A larger entry gains nothing by company, and is written by an operation of its own. */
  public static final int MAX_ENTRY_BYTES = 8 << 10;

  private final byte[] bytes;
  private final int[] keyOffsets; // the value follows the key
  private final int[] keyLengths;
  private final int[] valueLengths;
  private final long[] expiryMillis;

  /**
   * Reads what {@link Writer} has made.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public EncodedEntries(byte[] bytes) {
    this.bytes = bytes;
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      int count = vint(in);
      if (count < 1 || count > MAX_ENTRIES) {
        throw damaged(count + " entries are written by one operation");
      }
      keyOffsets = new int[count];
      keyLengths = new int[count];
      valueLengths = new int[count];
      expiryMillis = new long[count];
      for (int i = 0; i < count; i++) {
        readEntry(in, i);
      }
    } catch (BufferUnderflowException e) {
      throw damaged("entries end before their end");
    }
    if (in.hasRemaining()) {
      throw damaged(in.remaining() + " bytes follow the last entry");
    }
  }

  /** The segment of the first key of the entries that some bytes contain. */
  public static int firstSegment(byte[] bytes, HashSpace space) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    vint(in);
    int keyLength = vint(in);
    boolean expires = (vint(in) & 1) != 0;
    int offset = in.position() + (expires ? Long.BYTES : 0);
    return space.segment(space.hash(bytes, offset, keyLength));
  }

  private void readEntry(ByteBuffer in, int index) {
    int keyLength = vint(in);
    int head = vint(in);
    int valueLength = head >>> 1;
    if ((head & 1) != 0) {
      expiryMillis[index] = in.getLong();
    }
    if (keyLength < 0 || keyLength > in.remaining() - valueLength) {
      throw damaged("an entry is longer than what follows");
    }
    keyOffsets[index] = in.position();
    keyLengths[index] = keyLength;
    valueLengths[index] = valueLength;
    in.position(in.position() + keyLength + valueLength);
  }

  private static int vint(ByteBuffer in) {
    int value = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += 7) {
      int next = in.get();
      value |= (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw damaged("a number has more than 5 bytes");
  }

  private static IllegalArgumentException damaged(String how) {
    return new IllegalArgumentException("entries of one operation are damaged: " + how);
  }

  /** The number of entries. */
  public int count() {
    return keyOffsets.length;
  }

  /** The number of entries that bytes say they contain. */
  public static int count(byte[] bytes) {
    return vint(ByteBuffer.wrap(bytes));
  }

  /** An entry, in these bytes. */
  public EncodedEntry entry(int index) {
    int keyEnd = keyOffsets[index] + keyLengths[index];
    return new EncodedEntry(
        bytes,
        keyOffsets[index],
        keyLengths[index],
        bytes,
        keyEnd,
        valueLengths[index],
        expiryMillis[index]);
  }

  /** A copy of a key. */
  public byte[] key(int index) {
    return Arrays.copyOfRange(bytes, keyOffsets[index], keyOffsets[index] + keyLengths[index]);
  }

  /** A copy of a value. */
  public byte[] value(int index) {
    int from = keyOffsets[index] + keyLengths[index];
    return Arrays.copyOfRange(bytes, from, from + valueLengths[index]);
  }

  /** The bytes of all keys and values. */
  public long keyAndValueBytes() {
    long sum = 0;
    for (int i = 0; i < keyLengths.length; i++) {
      sum += (long) keyLengths[i] + valueLengths[i];
    }
    return sum;
  }

  /**
   * The positions of all keys in the segment.
   *
   * @throws IllegalArgumentException if a key does not belong there, or they are not in order
   */
  public long[] positions(HashSpace space, int segment) {
    long[] positions = new long[count()];
    for (int i = 0; i < positions.length; i++) {
      long hash = space.hash(bytes, keyOffsets[i], keyLengths[i]);
      if (space.segment(hash) != segment) {
        throw new IllegalArgumentException(
            "a key was sent to segment %d, where it does not belong: the sender hashes keys otherwise"
                .formatted(segment));
      }
      positions[i] = space.position(hash);
      if (i > 0 && !inOrder(i, positions[i - 1], positions[i])) {
        throw damaged("they are not in the order of the segment");
      }
    }
    return positions;
  }

  private boolean inOrder(int index, long before, long position) {
    int order = Long.compareUnsigned(before, position);
    return order < 0 || (order == 0 && compareKeys(index - 1, index) < 0);
  }

  private int compareKeys(int one, int other) {
    return Arrays.compareUnsigned(
        bytes,
        keyOffsets[one],
        keyOffsets[one] + keyLengths[one],
        bytes,
        keyOffsets[other],
        keyOffsets[other] + keyLengths[other]);
  }

  // ---- Those that an operation leaves as they were

  /** A set of entries that an operation leaves as they were: none, for up to so many entries. */
  public static byte[] noneLeft(int count) {
    return new byte[(count + Byte.SIZE - 1) / Byte.SIZE];
  }

  /** Adds an entry to the set of those that are left. */
  public static void leave(byte[] left, int index) {
    left[index / Byte.SIZE] |= (byte) (1 << (index % Byte.SIZE));
  }

  /** Whether an entry is among those that are left; null is the set of none. */
  public static boolean isLeft(byte @Nullable [] left, int index) {
    return left != null
        && index / Byte.SIZE < left.length
        && (left[index / Byte.SIZE] & (1 << (index % Byte.SIZE))) != 0;
  }

  // ---- Writing

  /** How many bytes an entry takes. */
  public static int bytesOf(int keyLength, int valueLength, long expiryMillis) {
    return EntryLayout.vintBytes(keyLength)
        + EntryLayout.vintBytes(head(valueLength, expiryMillis))
        + (expiryMillis == 0 ? 0 : Long.BYTES)
        + keyLength
        + valueLength;
  }

  private static int head(int valueLength, long expiryMillis) {
    return (valueLength << 1) | (expiryMillis == 0 ? 0 : 1);
  }

  /** Puts entries behind each other. For one thread. */
  public static final class Writer {
    private final ByteBuffer out;

    /**
     * @param bytes the sum of {@link #bytesOf} of all entries
     */
    public Writer(int entries, int bytes) {
      this.out = ByteBuffer.allocate(EntryLayout.vintBytes(entries) + bytes);
      EntryLayout.putVint(out, entries);
    }

    /**
     * Adds the next entry in the segment's order.
     *
     * @param source contains the key, and behind it the value
     */
    public void add(byte[] source, int offset, int keyLength, int valueLength, long expiryMillis) {
      EntryLayout.putVint(out, keyLength);
      EntryLayout.putVint(out, head(valueLength, expiryMillis));
      if (expiryMillis != 0) {
        out.putLong(expiryMillis);
      }
      out.put(source, offset, keyLength + valueLength);
    }

    /** The bytes, when all entries were added. */
    public byte[] bytes() {
      if (out.hasRemaining()) {
        throw new IllegalStateException(out.remaining() + " bytes are missing");
      }
      return out.array();
    }
  }
}
