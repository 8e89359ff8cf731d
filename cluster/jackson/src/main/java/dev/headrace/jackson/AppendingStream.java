package dev.headrace.jackson;

import dev.headrace.api.codec.ByteOutput;
import java.io.OutputStream;

/** Appends to the output of a codec. Closing it does nothing. Used during one call. */
final class AppendingStream extends OutputStream {
  private final ByteOutput out;

  AppendingStream(ByteOutput out) {
    this.out = out;
  }

  @Override
  public void write(int value) {
    out.writeByte(value);
  }

  @Override
  public void write(byte[] bytes, int offset, int lengthBytes) {
    out.writeBytes(bytes, offset, lengthBytes);
  }
}
