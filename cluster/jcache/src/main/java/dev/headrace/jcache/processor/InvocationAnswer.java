package dev.headrace.jcache.processor;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.jcache.codec.ObjectCodec;
import dev.headrace.jcache.entry.EntryVerdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a processor has come to on the primary. In bytes: the place of the {@link Kind}, and then
 *
 * <pre>
 * RAN    1 byte  whether the key was present
 *        1 byte  the place of the action
 *                the result; nothing if it is null
 * THREW          the exception
 * </pre>
 *
 * @param kind how it went
 * @param found whether the key was present
 * @param action what was done to the entry
 * @param object the result, or what was thrown; may be null
 */
record InvocationAnswer(
    Kind kind, boolean found, EntryVerdict.Action action, @Nullable Object object) {
  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<EntryVerdict.Action> ACTIONS = List.of(EntryVerdict.Action.values());

  /** How it went. The order is that of the bytes. */
  enum Kind {
    /** It has run. */
    RAN,
    /** It has thrown. */
    THREW,
    /** It cannot run there, or its result cannot travel. */
    ELSEWHERE
  }

  static byte[] ran(boolean found, EntryVerdict.Action action, @Nullable Object result) {
    ByteOutput out = new ByteOutput();
    out.writeByte(KINDS.indexOf(Kind.RAN));
    out.writeByte(found ? 1 : 0);
    out.writeByte(ACTIONS.indexOf(action));
    if (result != null) {
      out.writeBytes(ObjectCodec.bytes(result));
    }
    return out.toByteArray();
  }

  static byte[] threw(RuntimeException thrown) {
    ByteOutput out = new ByteOutput();
    out.writeByte(KINDS.indexOf(Kind.THREW));
    out.writeBytes(ObjectCodec.bytes(thrown));
    return out.toByteArray();
  }

  static byte[] elsewhere() {
    return new byte[] {(byte) KINDS.indexOf(Kind.ELSEWHERE)};
  }

  /**
   * Reads the bytes.
   *
   * @param codec reads the result
   * @throws RuntimeException if that cannot be read
   */
  static InvocationAnswer of(byte[] bytes, ObjectCodec codec) {
    ByteInput in = ByteInput.of(bytes);
    Kind kind = KINDS.get(in.readByte());
    boolean found = kind == Kind.RAN && in.readByte() == 1;
    EntryVerdict.Action action =
        kind == Kind.RAN ? ACTIONS.get(in.readByte()) : EntryVerdict.Action.LEAVE;
    Object object = in.remaining() == 0 ? null : codec.decode(in);
    return new InvocationAnswer(kind, found, action, object);
  }
}
