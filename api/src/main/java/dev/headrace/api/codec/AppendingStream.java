package dev.headrace.api.codec;

import java.io.OutputStream;

/** Appends to an output. Closing it does nothing. */
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
