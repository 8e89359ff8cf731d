package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.stream.operator.EntryUpdate;
import dev.headrace.api.stream.operator.NodeFunction;
import dev.headrace.stream.operator.FunctionCall;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs a processor on one entry. Stateless. */
final class ProcessorCall {
  /**
   * Where processors run.
   *
   * @param node the node's name, for messages
   * @param maxResultBytes the most bytes of a result
   */
  record Place(String node, int maxResultBytes) {}

  private ProcessorCall() {}

  /**
   * Decodes the entry, runs the processor, and encodes what it has decided.
   *
   * @throws FunctionFault if anything of that fails
   */
  static <K, V, A, R> EncodedUpdate run(
      NodeFunction.Processing<K, V, A, R> processing,
      FunctionCall call,
      Place place,
      byte[] key,
      byte @Nullable [] value) {
    try {
      A argument = processing.name().argumentCodec().decode(ByteInput.of(call.argument()));
      K decodedKey = processing.keyCodec().decode(ByteInput.of(key));
      V present = value == null ? null : processing.valueCodec().decode(ByteInput.of(value));
      EntryUpdate<V, R> update =
          Objects.requireNonNull(
              processing.processor().process(decodedKey, present, argument),
              "the processor returned null: return EntryUpdate.keep");
      EncodedUpdate encoded =
          EncodedUpdate.of(update, processing.valueCodec(), processing.name().resultCodec());
      byte[] answer = encoded.answer();
      if (answer != null && answer.length > place.maxResultBytes()) {
        throw new IllegalArgumentException(
            "its result has %d bytes, but %d are the limit (maxEntryBytes)"
                .formatted(answer.length, place.maxResultBytes()));
      }
      return encoded;
    } catch (Throwable e) { // of the user's processor or codecs: the caller must hear of it
      String keyText =
          FunctionFault.keyText(() -> processing.keyCodec().decode(ByteInput.of(key)), key);
      throw FunctionFault.failed(call.name(), place.node(), keyText, FunctionFault.describe(e));
    }
  }
}
