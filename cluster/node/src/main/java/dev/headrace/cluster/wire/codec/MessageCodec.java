package dev.headrace.cluster.wire.codec;

import static dev.headrace.cluster.wire.codec.WireOutput.boundOfList;
import static dev.headrace.cluster.wire.codec.WireOutput.writeList;

import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.stream.Message;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The binary form of every {@link Message}: a byte for its type, then the form that the codec of
 * its family has for it.
 */
public final class MessageCodec implements BodyCodec<Message> {

  private static final int LEAST_MESSAGE_BYTES = 2;

  /**
   * Indexed by the byte of the type. Types of later versions of the protocol come last: those that
   * are there keep their numbers as long as a release knows a version that has them.
   */
  private static final List<Form<? extends Message>> FORMS = forms();

  private static final Map<Class<?>, Integer> KINDS = kinds();

  private static List<Form<? extends Message>> forms() {
    List<Form<? extends Message>> forms = new ArrayList<>();
    forms.addAll(SegmentMessageCodec.FORMS);
    forms.addAll(RepairMessageCodec.FORMS);
    forms.addAll(ReplicationMessageCodec.FORMS);
    forms.addAll(RebalanceMessageCodec.FORMS);
    forms.addAll(NodeMessageCodec.FORMS);
    forms.addAll(ChangeMessageCodec.FORMS);
    forms.add(
        Form.form(
            MessageGroup.class,
            group -> boundOfList(group.messages(), MessageCodec::boundOfAny),
            (group, out) -> writeList(out, group.messages(), MessageCodec::encodeAny),
            in ->
                new MessageGroup(
                    in.readList(
                        MessageGroup.MAX_MESSAGES, LEAST_MESSAGE_BYTES, MessageCodec::decodeOne))));
    forms.addAll(NodeMessageCodec.LATER_FORMS);
    forms.addAll(RebalanceMessageCodec.LATER_FORMS);
    return List.copyOf(forms);
  }

  private static Map<Class<?>, Integer> kinds() {
    Map<Class<?>, Integer> kinds = new HashMap<>();
    for (Form<?> form : FORMS) {
      kinds.put(form.type(), kinds.size());
    }
    return kinds;
  }

  /** The types of messages that have a form. */
  static List<Class<?>> types() {
    return FORMS.stream().<Class<?>>map(Form::type).toList();
  }

  private static int kind(Message message) {
    Integer kind = KINDS.get(message.getClass());
    if (kind == null) {
      throw new IllegalArgumentException("no binary form is known of " + message);
    }
    return kind;
  }

  @Override
  public long boundBytes(Message message) {
    return boundOfAny(message);
  }

  @Override
  public void encode(Message message, ByteBuf out) {
    encodeAny(message, out);
  }

  @Override
  public Message decode(WireInput in) {
    Message message = decodeAny(in);
    in.end();
    return message;
  }

  private static long boundOfAny(Message message) {
    return 1 + FORMS.get(kind(message)).boundBytes(message);
  }

  private static void encodeAny(Message message, ByteBuf out) {
    int kind = kind(message);
    out.writeByte(kind);
    FORMS.get(kind).encode(message, out);
  }

  private static Message decodeAny(WireInput in) {
    return decode(in.readByte(), in);
  }

  /** A message of a group, which is no group: refused before anything in it is decoded. */
  private static Message decodeOne(WireInput in) {
    int kind = in.readByte();
    if (kind >= 0 && kind < FORMS.size() && FORMS.get(kind).type() == MessageGroup.class) {
      throw in.damaged("a group of messages is in another group");
    }
    return decode(kind, in);
  }

  private static Message decode(int kind, WireInput in) {
    if (kind < 0 || kind >= FORMS.size()) {
      throw in.damaged("no message is of kind " + kind);
    }
    try {
      return FORMS.get(kind).decoder().apply(in);
    } catch (IllegalArgumentException refusedByTheMessage) {
      throw in.damaged(String.valueOf(refusedByTheMessage.getMessage()));
    }
  }
}
