package dev.headrace.cluster.wire.codec;

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

  /** Indexed by the byte of the type. */
  private static final List<Form<? extends Message>> FORMS = forms();

  private static final Map<Class<?>, Integer> KINDS = kinds();

  private static List<Form<? extends Message>> forms() {
    List<Form<? extends Message>> forms = new ArrayList<>();
    forms.addAll(SegmentMessageCodec.FORMS);
    forms.addAll(RepairMessageCodec.FORMS);
    forms.addAll(ReplicationMessageCodec.FORMS);
    forms.addAll(RebalanceMessageCodec.FORMS);
    forms.addAll(NodeMessageCodec.FORMS);
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
    return 1 + FORMS.get(kind(message)).boundBytes(message);
  }

  @Override
  public void encode(Message message, ByteBuf out) {
    int kind = kind(message);
    out.writeByte(kind);
    FORMS.get(kind).encode(message, out);
  }

  @Override
  public Message decode(WireInput in) {
    int kind = in.readByte();
    if (kind < 0 || kind >= FORMS.size()) {
      throw in.damaged("no message is of kind " + kind);
    }
    Message message;
    try {
      message = FORMS.get(kind).decoder().apply(in);
    } catch (IllegalArgumentException refusedByTheMessage) {
      throw in.damaged(String.valueOf(refusedByTheMessage.getMessage()));
    }
    in.end();
    return message;
  }
}
