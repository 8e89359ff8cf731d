package dev.headrace.cluster.wire.codec;

import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.stream.Message;
import io.netty.buffer.ByteBuf;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The binary form of one type of message, without the byte that tells the type.
 *
 * @param <M> the type
 * @param type the message's class, which is final
 * @param bound at most how many bytes are written
 * @param encoder appends a message to a buffer that has the room
 * @param decoder reads a message; it may leave bytes
 */
record Form<M extends Message>(
    Class<M> type,
    ToLongFunction<M> bound,
    BiConsumer<M, ByteBuf> encoder,
    Function<WireInput, M> decoder) {

  /** More than the numbers of any message take together. */
  private static final long NUMBERS_BYTES = 160;

  /**
   * A form.
   *
   * @param bound at most how many bytes the fields take that are no numbers
   */
  static <M extends Message> Form<M> form(
      Class<M> type,
      ToLongFunction<M> bound,
      BiConsumer<M, ByteBuf> encoder,
      Function<WireInput, M> decoder) {
    return new Form<>(type, m -> NUMBERS_BYTES + bound.applyAsLong(m), encoder, decoder);
  }

  /**
   * A form that begins with the {@link SegmentHead}.
   *
   * @param bound at most how many bytes the fields after the head take that are no numbers
   * @param encoder appends what follows the head
   * @param decoder reads what follows the head
   */
  static <M extends SegmentMessage> Form<M> segmentForm(
      Class<M> type,
      ToLongFunction<M> bound,
      BiConsumer<M, ByteBuf> encoder,
      BiFunction<SegmentHead, WireInput, M> decoder) {
    return form(
        type,
        m -> SegmentHead.boundBytes(m) + bound.applyAsLong(m),
        (m, out) -> {
          SegmentHead.write(m, out);
          encoder.accept(m, out);
        },
        in -> decoder.apply(in.readHead(), in));
  }

  long boundBytes(Message message) {
    return bound.applyAsLong(type.cast(message));
  }

  void encode(Message message, ByteBuf out) {
    encoder.accept(type.cast(message), out);
  }
}
