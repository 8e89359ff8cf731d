package dev.headrace.stream.plan;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.Codec;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The states that functions have made on the nodes, combined as the caller says.
 *
 * @param <S> a state
 * @param <R> the result
 */
final class CombinedStates<S, R> implements Combination<R> {
  private final Codec<S> codec;
  private final BinaryOperator<S> combiner;
  private final Function<@Nullable S, R> finisher;
  private @Nullable S state;

  /**
   * @param codec decodes a state
   * @param finisher makes the result; gets null if there is no state
   */
  CombinedStates(Codec<S> codec, BinaryOperator<S> combiner, Function<@Nullable S, R> finisher) {
    this.codec = codec;
    this.combiner = combiner;
    this.finisher = finisher;
  }

  @Override
  public void add(byte[] partial) {
    S before = state;
    S more = codec.decode(ByteInput.of(partial));
    state = before == null ? more : combined(before, more);
  }

  private S combined(S one, S other) {
    return Objects.requireNonNull(
        combiner.apply(one, other),
        "the combiner returned null, which would drop what was combined: return a state");
  }

  @Override
  public R result() {
    return finisher.apply(state);
  }
}
