package dev.headrace.jcache.processor;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.jcache.codec.ObjectCodec;

/**
 * The bytes of objects in caches of JCache as they are, so that whoever decodes them can tell what
 * cannot be decoded here.
 */
final class RawObjects implements Codec<byte[]> {

  @Override
  public String format() {
    return ObjectCodec.FORMAT;
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
