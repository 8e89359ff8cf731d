package dev.headrace.api.codec;

/** Strings as UTF-8. */
final class StringCodec implements Codec<String> {
  static final StringCodec INSTANCE = new StringCodec();

  private StringCodec() {}

  @Override
  public String format() {
    return "string";
  }

  @Override
  public void encode(String value, ByteOutput out) {
    out.writeUtf8(value);
  }

  @Override
  public String decode(ByteInput in) {
    return in.readUtf8(in.remaining());
  }
}
