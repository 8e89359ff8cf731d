package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Entries as their encoded bytes in frames. Numbers are big-endian.
 *
 * <pre>
 * frame    := length (4 bytes, of what follows) kind (1 byte) content
 * entry    := kind 0, length of the key (4 bytes), key, value
 * token    := kind 1, token
 * failure  := kind 2, problem as JSON
 * end      := kind 3
 * </pre>
 */
final class FrameWriter implements ElementWriter<Map.Entry<byte[], byte[]>> {
  private static final int ENTRY = 0;
  private static final int TOKEN = 1;
  private static final int FAILURE = 2;
  private static final int END = 3;

  @Override
  public void element(Map.Entry<byte[], byte[]> entry, ByteOutput out) {
    byte[] key = entry.getKey();
    byte[] value = entry.getValue();
    out.writeInt(1 + Integer.BYTES + key.length + value.length);
    out.writeByte(ENTRY);
    out.writeInt(key.length);
    out.writeBytes(key);
    out.writeBytes(value);
  }

  @Override
  public void token(String token, ByteOutput out) {
    frame(TOKEN, token, out);
  }

  @Override
  public void failure(String problem, String token, ByteOutput out) {
    if (!token.isEmpty()) {
      token(token, out);
    }
    frame(FAILURE, problem, out);
  }

  @Override
  public void end(ByteOutput out) {
    frame(END, "", out);
  }

  private static void frame(int kind, String content, ByteOutput out) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    out.writeInt(1 + bytes.length);
    out.writeByte(kind);
    out.writeBytes(bytes);
  }
}
