package dev.headrace.cluster.wire.codec;

import dev.headrace.replication.message.SegmentMessage;
import dev.headrace.stream.Message;
import io.netty.buffer.ByteBuf;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The binary form of one type of message, without the byte of its type.
 *
 * @param <M> the type
 * @param type the message's class, which is final
 * @param bound the most bytes that are written
 * @param encoder appends a message to a buffer with enough room
 * @param decoder reads a message; it may leave bytes unread
 */
record Form<M extends Message>(
    Class<M> type,
    ToLongFunction<M> bound,
    BiConsumer<M, ByteBuf> encoder,
    Function<WireInput, M> decoder) {

  /** More than all numbers of any message take. */
  private static final long NUMBERS_BYTES = 160;

  /**
   * Makes a form.
   *
   * @param bound the most bytes of the fields that are not numbers
   */
  static <M extends Message> Form<M> form(
      Class<M> type,
      ToLongFunction<M> bound,
      BiConsumer<M, ByteBuf> encoder,
      Function<WireInput, M> decoder) {
    return new Form<>(type, m -> NUMBERS_BYTES + bound.applyAsLong(m), encoder, decoder);
  }

  /**
   * Makes a form that begins with the {@link SegmentHead}.
   *
   * @param bound the most bytes of the fields after the head that are not numbers
   * @param encoder appends the fields after the head
   * @param decoder reads the fields after the head
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
