package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.FunctionFailedException.Call;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.error.HeadraceException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * A call of a function cannot be answered. It travels in the answer, instead of entries or of the
 * result of a processor:
 *
 * <pre>
 * 1 byte  1 if the function has failed, 0 if it is missing
 * 4 texts: function, node, key, and what happened; each as the number of its bytes and UTF-8
 * </pre>
 */
public final class FunctionFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final int MAX_TEXT_CHARS = 1000;
  private static final int MAX_KEY_CHARS = 200;

  private final boolean failed;
  private final Call call;
  private final String what;

  private FunctionFault(boolean failed, Call call, String what) {
    super(what, null, false, false);
    this.failed = failed;
    this.call = call;
    this.what = what;
  }

  /**
   * A node does not know a function, or not so.
   *
   * @param what says so, and what to do
   */
  static FunctionFault missing(String function, String node, String what) {
    return new FunctionFault(false, new Call(function, node, ""), cut(what));
  }

  /**
   * A function has failed.
   *
   * @param key the entry's key as text
   * @param what what it has thrown
   */
  static FunctionFault failed(String function, String node, String key, String what) {
    return new FunctionFault(true, new Call(function, node, key), cut(what));
  }

  /** What was thrown, and where. */
  static String describe(Throwable thrown) {
    String what;
    try {
      what = String.valueOf(thrown);
    } catch (Throwable e) { // of the user's exception, which is told without its message then
      what = thrown.getClass().getName();
    }
    StackTraceElement[] stack = thrown.getStackTrace();
    return stack.length == 0 ? what : what + " (at " + stack[0] + ")";
  }

  /**
   * A key for a message; its bytes in hexadecimal digits if it has no text.
   *
   * @param key decodes it
   */
  static String keyText(Supplier<?> key, byte[] bytes) {
    String text;
    try {
      text = String.valueOf(key.get());
    } catch (Throwable e) { // of the user's codec or toString; the message is about something else
      text = "0x" + HexFormat.of().formatHex(bytes);
    }
    return text.length() <= MAX_KEY_CHARS ? text : text.substring(0, MAX_KEY_CHARS) + "...";
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT_CHARS ? text : text.substring(0, MAX_TEXT_CHARS) + "...";
  }

  /** The form in which it travels. */
  public byte[] encode() {
    ByteOutput out = new ByteOutput();
    out.writeByte(failed ? 1 : 0);
    for (String text : new String[] {call.function(), call.node(), call.key(), what}) {
      ByteOutput utf8 = new ByteOutput();
      utf8.writeUtf8(text);
      out.writeVarInt(utf8.size());
      out.writeBytes(utf8.toByteArray());
    }
    return out.toByteArray();
  }

  /**
   * The error that ends a stream.
   *
   * @param bytes what {@link #encode} has made
   * @param cache the cache's name
   * @throws dev.headrace.api.error.WireException if the bytes are malformed
   */
  public static HeadraceException error(ByteBuffer bytes, String cache) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return error(
        ByteInput.of(copy),
        cache,
        "A stream of \"" + cache + "\" cannot go on: ",
        ". Fix it there, or leave the entry out by a filter in front of it");
  }

  /** The error that ends the call of a processor; the bytes are the rest of an input. */
  static HeadraceException errorOfProcessor(ByteInput in, String cache) {
    return error(
        in,
        cache,
        "The entry of \"" + cache + "\" is as it was: ",
        "; the entry is as it was. Fix the processor there");
  }

  private static HeadraceException error(
      ByteInput in, String cache, String ifMissing, String ifFailed) {
    boolean failed = in.readByte() == 1;
    Call call = new Call(text(in), text(in), text(in));
    String what = text(in);
    FaultScope scope = FaultScope.ofCache(cache);
    if (!failed) {
      return new FunctionMissingException(ifMissing + what, scope, call.function(), call.node());
    }
    return new FunctionFailedException(
        "The function \""
            + call.function()
            + "\" has failed on the node "
            + call.node()
            + " for the key "
            + call.key()
            + " of \""
            + cache
            + "\": "
            + what
            + ifFailed,
        scope,
        call,
        null);
  }

  private static String text(ByteInput in) {
    return in.readUtf8(in.readVarInt());
  }
}
