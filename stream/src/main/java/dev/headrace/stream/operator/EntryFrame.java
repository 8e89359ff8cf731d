package dev.headrace.stream.operator;

import dev.headrace.stream.entry.EntryLayout;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * The entry that a program looks at, and the part of it that a {@link Path} has found. Reusable;
 * belongs to one thread.
 */
public final class EntryFrame {

  /** Makes an entry of an answer of the frame's one. For one thread. */
  public interface Writer {

    /** How many bytes it would have; 0 if nothing is answered. */
    long measure(EntryFrame frame);

    /** Appends what was measured last to a buffer with room for it. */
    void append(EntryFrame frame, ByteBuffer out);
  }

  private final LongSupplier clock;
  private boolean nowKnown;
  private long nowMillis;

  byte[] bytes = {};
  int keyOffset;
  int keyEnd;
  int valueEnd;
  private int offset;

  /** Where the part that was found begins. */
  int from;

  /** Where the part that was found ends. */
  int to;

  /**
   * @param clusterMillis cluster time, asked for at most once
   */
  public EntryFrame(LongSupplier clusterMillis) {
    clock = clusterMillis;
  }

  /**
   * Turns to an entry.
   *
   * @throws IndexOutOfBoundsException if it does not lie within the array, because a write has torn
   *     it
   */
  public void turnTo(byte[] page, int entryOffset, int lengthBytes) {
    long key = EntryLayout.keyRegion(page, entryOffset);
    int keyBegins = (int) (key >>> 32);
    int keyEnds = keyBegins + (int) key;
    int valueEnds = entryOffset + lengthBytes;
    if (keyEnds < keyBegins || valueEnds < keyEnds || valueEnds > page.length) {
      throw new IndexOutOfBoundsException("an entry was torn while it was read");
    }
    if (bytes != page) { // to store a reference costs more than to compare it
      bytes = page;
    }
    offset = entryOffset;
    keyOffset = keyBegins;
    keyEnd = keyEnds;
    valueEnd = valueEnds;
  }

  /** Turns to a value without an entry. */
  void turnToValue(byte[] value) {
    bytes = value;
    offset = 0;
    keyOffset = 0;
    keyEnd = 0;
    valueEnd = value.length;
  }

  /** Where the key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** The array that the entry lies in. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where the value ends. */
  public int valueEnd() {
    return valueEnd;
  }

  /** Where the key ends and the value begins. */
  public int keyEnd() {
    return keyEnd;
  }

  /** Whether the entry expires. */
  public boolean hasExpiry() {
    return EntryLayout.hasExpiry(bytes, offset);
  }

  /** When the entry expires, in cluster time; only if it does. */
  public long expiryMillis() {
    return EntryLayout.expiryMillis(bytes, offset);
  }

  long remainingMillis() {
    if (!nowKnown) {
      nowMillis = clock.getAsLong();
      nowKnown = true;
    }
    return expiryMillis() - nowMillis;
  }

  /** The version's term. */
  public long term() {
    return EntryLayout.readVlong(bytes, versionOffset());
  }

  /** The version's counter. */
  public long counter() {
    return EntryLayout.readVlong(bytes, EntryLayout.skipVlong(bytes, versionOffset()));
  }

  private int versionOffset() {
    return EntryLayout.skipVlong(bytes, EntryLayout.bodyOffset(bytes, offset));
  }
}
