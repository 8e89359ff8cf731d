package dev.headrace.benchmarks.codec;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import java.nio.ByteBuffer;

/** One of Headrace's codecs. */
final class CodecSerialization<T> implements Serialization<T> {
  private final Codec<T> codec;
  private final ByteOutput output = new ByteOutput();
  private final ByteInput input = new ByteInput();
  private ByteBuffer loaded = ByteBuffer.allocate(0);

  CodecSerialization(Codec<T> codec) {
    this.codec = codec;
  }

  @Override
  public int encode(T object) {
    output.reset();
    codec.encode(object, output);
    return output.size();
  }

  @Override
  public byte[] bytes() {
    return output.toByteArray();
  }

  @Override
  public void load(byte[] all) {
    loaded = ByteBuffer.wrap(all);
  }

  @Override
  public T decode(int from, int lengthBytes) {
    input.reset(loaded, from, from + lengthBytes);
    return codec.decode(input);
  }
}
