package dev.headrace.stream.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.stream.operator.EntryUpdate;
import dev.headrace.api.stream.operator.EntryUpdate.Action;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.stream.operator.FunctionCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Processors on encoded entries. */
class ProcessorCallTest {
  private static final int MAX_RESULT_BYTES = 100;
  private static final Codec<String> TEXT = Codecs.string();
  private static final Codec<Integer> NUMBER = Codecs.of(Integer.class);
  private static final FunctionName<Integer, String> ADD = FunctionName.of("add", NUMBER, TEXT);
  private static final FunctionName<Integer, String> REPEAT =
      FunctionName.of("repeat", NUMBER, TEXT);
  private static final FunctionName<Integer, String> NOTHING =
      FunctionName.of("nothing", NUMBER, TEXT);
  private static final FunctionName<Integer, String> SHOWN = FunctionName.of("shown", NUMBER, TEXT);

  private final FunctionTable table =
      new FunctionTable(
          "here",
          List.of(
              NodeFunctions.over(TEXT, NUMBER)
                  .process(
                      ADD,
                      (key, value, more) ->
                          value == null
                              ? EntryUpdate.keep(null)
                              : EntryUpdate.set(value + more, Duration.ofDays(1), key + value))
                  .process(REPEAT, (key, value, times) -> EntryUpdate.remove(key.repeat(times)))
                  .process(NOTHING, (key, value, none) -> nothing())
                  .map(SHOWN, (key, value, none) -> key)),
          (keys, values) -> 7,
          () -> MAX_RESULT_BYTES,
          () -> 0);

  @SuppressWarnings("NullAway") // what a careless processor does
  private static EntryUpdate<Integer, String> nothing() {
    return null;
  }

  private static <T> byte[] encoded(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }

  private static byte[] call(FunctionName<Integer, String> function, int argument) {
    return FunctionCall.of(FunctionCall.Kind.PROCESS, function, argument).encode();
  }

  private EncodedUpdate process(byte[] call, @Nullable Integer value) {
    return table.process(
        call, 7, encoded(TEXT, "k"), value == null ? null : encoded(NUMBER, value));
  }

  private static @Nullable String result(EncodedUpdate update) {
    return EncodedUpdate.result(update.answer(), ADD, "c");
  }

  @Test
  void theNewValueAndTheResultAreEncoded() {
    EncodedUpdate update = process(call(ADD, 5), 37);
    assertThat(update.action()).isEqualTo(Action.SET);
    assertThat(update.value()).isEqualTo(encoded(NUMBER, 42));
    assertThat(update.lifespan()).isEqualTo(Duration.ofDays(1));
    assertThat(result(update)).isEqualTo("k37");
    EncodedUpdate kept = process(call(ADD, 5), null);
    assertThat(kept.action()).isEqualTo(Action.KEEP);
    assertThat(result(kept)).isNull();
    EncodedUpdate removed = process(call(REPEAT, 3), null);
    assertThat(removed.action()).isEqualTo(Action.REMOVE);
    assertThat(result(removed)).isEqualTo("kkk");
  }

  @Test
  void whatCannotBeDoneLeavesTheEntryAndSaysWhy() {
    EncodedUpdate large = process(call(REPEAT, MAX_RESULT_BYTES), 1);
    assertThat(large.action()).isEqualTo(Action.KEEP);
    assertThatThrownBy(() -> result(large))
        .isInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("its result has 101 bytes, but 100 are the limit");
    assertThatThrownBy(() -> result(process(call(NOTHING, 1), 1)))
        .isInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("return EntryUpdate.keep");
    assertThatThrownBy(() -> result(process(call(SHOWN, 1), 1)))
        .isInstanceOf(FunctionMissingException.class)
        .hasMessageContaining("for map, and not for process");
    assertThatThrownBy(() -> result(table.process(call(ADD, 1), 8, encoded(TEXT, "k"), null)))
        .isInstanceOf(FunctionMissingException.class)
        .hasMessageContaining("register it with the cache's codecs");
  }

  @Test
  void aMalformedCallIsAFault() {
    byte[] good = call(ADD, 5);
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> result(process(cut, 1)))
          .as("a call cut off after %d bytes", length)
          .isInstanceOf(FunctionFailedException.class);
    }
    byte[] longer = Arrays.copyOf(good, good.length + 1);
    assertThatThrownBy(() -> result(process(longer, 1)))
        .isInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("the call is malformed");
    byte[] other = FunctionCall.of(FunctionCall.Kind.MAP, SHOWN, 1).encode();
    assertThatThrownBy(() -> FunctionCall.decode(other))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> result(process(other, 1))).isInstanceOf(FunctionFailedException.class);
  }

  @Test
  void aMalformedAnswerIsRefused() {
    assertThatThrownBy(() -> EncodedUpdate.result(new byte[] {1}, ADD, "c"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
