package dev.headrace.http.cache;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;

/**
 * Keys or values of a format as the bytes that they are.
 *
 * @param format what the bytes look like
 */
record EncodedCodec(String format) implements Codec<byte[]> {

  @Override
  public void encode(byte[] value, ByteOutput out) {
    out.writeBytes(value);
  }

  @Override
  public byte[] decode(ByteInput in) {
    return in.readBytes(in.remaining());
  }
}
