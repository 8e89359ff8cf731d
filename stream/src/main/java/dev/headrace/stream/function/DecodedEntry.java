package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.Codec;
import dev.headrace.stream.operator.EntryFrame;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The entry that functions look at, decoded as far as they want it, and once if they share their
 * codecs. For one thread.
 */
final class DecodedEntry {
  private final ByteInput in = new ByteInput();
  private ByteBuffer page = ByteBuffer.allocate(0);
  private int keyOffset;
  private int keyEnd;
  private int valueEnd;
  private @Nullable Codec<?> keyCodec;
  private @Nullable Object key;
  private @Nullable Codec<?> valueCodec;
  private @Nullable Object value;

  void turnTo(EntryFrame frame) {
    if (page.array() != frame.bytes()) {
      page = ByteBuffer.wrap(frame.bytes());
    }
    keyOffset = frame.keyOffset();
    keyEnd = frame.keyEnd();
    valueEnd = frame.valueEnd();
    keyCodec = null;
    key = null;
    valueCodec = null;
    value = null;
  }

  @SuppressWarnings("unchecked") // It was decoded by this very codec.
  <K> K key(Codec<K> codec) {
    Object present = key;
    if (present == null || keyCodec != codec) {
      in.reset(page, keyOffset, keyEnd);
      present = codec.decode(in);
      key = present;
      keyCodec = codec;
    }
    return (K) present;
  }

  @SuppressWarnings("unchecked") // It was decoded by this very codec.
  <V> V value(Codec<V> codec) {
    Object present = value;
    if (present == null || valueCodec != codec) {
      in.reset(page, keyEnd, valueEnd);
      present = codec.decode(in);
      value = present;
      valueCodec = codec;
    }
    return (V) present;
  }

  /** The key for a message; its bytes in hexadecimal digits if it has no text. */
  String keyText(Codec<?> codec) {
    byte[] bytes = new byte[keyEnd - keyOffset];
    page.get(keyOffset, bytes);
    return FunctionFault.keyText(() -> key(codec), bytes);
  }
}
