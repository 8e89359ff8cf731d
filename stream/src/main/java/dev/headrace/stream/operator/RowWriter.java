package dev.headrace.stream.operator;

import dev.headrace.stream.entry.EntryLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Writes rows: entries whose value is some parts of the original one, each as the number of its
 * bytes plus 1 and the bytes; 0 for null. An entry that expires keeps its key, since it is looked
 * up again if it expires on its way; the others do if they are asked for with keys. For one thread.
 */
public final class RowWriter implements EntryFrame.Writer {

  private final List<Path> parts;
  private final boolean withKeys;
  private final int[] from;
  private final int[] to;
  private int valueBytes;

  /**
   * Writes the rows that a program selects.
   *
   * @param withKeys whether each row keeps the key of its entry
   */
  public RowWriter(Operators operators, boolean withKeys) {
    this.withKeys = withKeys;
    parts = Objects.requireNonNull(operators.row(), "a program that selects").parts();
    from = new int[parts.size()];
    to = new int[parts.size()];
  }

  @Override
  public long measure(EntryFrame frame) {
    valueBytes = 0;
    for (int i = 0; i < from.length; i++) {
      boolean found = parts.get(i).find(frame);
      from[i] = found ? frame.from : 0;
      to[i] = found ? frame.to : -1;
      int sizePlusOne = to[i] - from[i] + 1;
      valueBytes += EntryLayout.vintBytes(sizePlusOne) + (found ? to[i] - from[i] : 0);
    }
    return EntryLayout.entryBytes(keyBytes(frame), valueBytes, 0, 0, expiryMillis(frame));
  }

  private int keyBytes(EntryFrame frame) {
    return withKeys || frame.hasExpiry() ? frame.keyEnd - frame.keyOffset : 0;
  }

  private static long expiryMillis(EntryFrame frame) {
    return frame.hasExpiry() ? frame.expiryMillis() : 0;
  }

  @Override
  public void append(EntryFrame frame, ByteBuffer out) {
    int keyBytes = keyBytes(frame);
    EntryLayout.appendHead(out, keyBytes, valueBytes, 0, 0, expiryMillis(frame));
    out.put(frame.bytes, frame.keyOffset, keyBytes);
    for (int i = 0; i < from.length; i++) {
      int size = to[i] - from[i];
      EntryLayout.putVint(out, size + 1);
      if (size > 0) {
        out.put(frame.bytes, from[i], size);
      }
    }
  }
}
