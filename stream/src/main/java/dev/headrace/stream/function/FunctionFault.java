package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.FunctionFailedException.Call;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.api.error.HeadraceException;
import java.nio.ByteBuffer;

/**
 * A call of a function cannot be answered. It travels in the answer, instead of entries:
 *
 * <pre>
 * 1 byte  1 if the function has failed, 0 if it is missing
 * 4 texts: function, node, key, and what happened; each as the number of its bytes and UTF-8
 * </pre>
 */
public final class FunctionFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final int MAX_TEXT_CHARS = 1000;

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
    ByteInput in = ByteInput.of(copy);
    boolean failed = in.readByte() == 1;
    Call call = new Call(text(in), text(in), text(in));
    String what = text(in);
    FaultScope scope = FaultScope.ofCache(cache);
    if (!failed) {
      String missing = "A stream of \"" + cache + "\" cannot go on: " + what;
      return new FunctionMissingException(missing, scope, call.function(), call.node());
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
            + ". Fix it there, or leave the entry out by a filter in front of it",
        scope,
        call,
        null);
  }

  private static String text(ByteInput in) {
    return in.readUtf8(in.readVarInt());
  }
}
