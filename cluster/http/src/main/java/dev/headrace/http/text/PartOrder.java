package dev.headrace.http.text;

import dev.headrace.api.codec.ByteInput;
import java.util.Arrays;

/**
 * The elements of a set or the entries of a map, which are read one after the other and have to be
 * in the order of the bytes of elements and keys. Used by one thread, once.
 */
final class PartOrder {
  private final byte[] bytes;
  private final ByteInput in;
  private int before = -1;
  private int beforeEnd;
  private int start;

  /** Takes all remaining bytes. */
  PartOrder(ByteInput whole) {
    this.bytes = whole.readBytes(whole.remaining());
    this.in = ByteInput.of(bytes);
  }

  /** Where the parts are read from. */
  ByteInput in() {
    return in;
  }

  /** An element or a key begins here. */
  void begin() {
    start = in.position();
  }

  /**
   * The element or the key ends here.
   *
   * @throws IllegalArgumentException if it belongs before the last one, or is the same
   */
  void end() {
    int end = in.position();
    if (before >= 0 && Arrays.compareUnsigned(bytes, before, beforeEnd, bytes, start, end) >= 0) {
      throw new IllegalArgumentException(
          "The elements of a set or the keys of a map are not in" + " the order of their bytes");
    }
    before = start;
    beforeEnd = end;
  }
}
