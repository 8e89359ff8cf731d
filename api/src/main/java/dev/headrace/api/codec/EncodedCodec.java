package dev.headrace.api.codec;

/**
 * Values of a format as the bytes that they are.
 *
 * @param format what the bytes look like
 */
record EncodedCodec(String format) implements FormatCodec<byte[]> {

  @Override
  public void encode(byte[] value, ByteOutput out) {
    out.writeBytes(value);
  }

  @Override
  public byte[] decode(ByteInput in) {
    return in.readBytes(in.remaining());
  }
}
