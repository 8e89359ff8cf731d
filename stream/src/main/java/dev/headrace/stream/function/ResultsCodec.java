package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.WireException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the results of one entry, which travel together: each as the number of its bytes and the
 * bytes. There is at least one. Nobody writes by it. Immutable.
 *
 * @param <R> a result
 */
public final class ResultsCodec<R> implements Codec<List<R>> {

  private final Codec<R> codec;

  /**
   * @param codec reads a result
   */
  public ResultsCodec(Codec<R> codec) {
    this.codec = codec;
  }

  @Override
  public String format() {
    return "results " + codec.format();
  }

  @Override
  public void encode(List<R> value, ByteOutput out) {
    throw new UnsupportedOperationException("results are only read");
  }

  @Override
  public List<R> decode(ByteInput in) {
    if (in.remaining() == 0) {
      throw new WireException("an entry without results was answered");
    }
    List<R> results = new ArrayList<>();
    while (in.remaining() > 0) {
      results.add(in.readSized(codec));
    }
    return results;
  }
}
