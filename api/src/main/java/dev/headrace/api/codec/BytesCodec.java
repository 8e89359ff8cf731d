package dev.headrace.api.codec;

/** Byte arrays as they are. */
final class BytesCodec implements Codec<byte[]> {
  static final BytesCodec INSTANCE = new BytesCodec();

  private BytesCodec() {}

  @Override
  public String format() {
    return "bytes";
  }

  @Override
  public void encode(byte[] value, ByteOutput out) {
    out.writeBytes(value);
  }

  @Override
  public byte[] decode(ByteInput in) {
    return in.readBytes(in.remaining());
  }
}
