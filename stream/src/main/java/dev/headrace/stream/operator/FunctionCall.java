package dev.headrace.stream.operator;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.stream.operator.FunctionName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a function that the nodes know, as a part of a program, or of a processor, which stands
 * alone. Immutable.
 *
 * <pre>
 * 1 byte   what for, by {@link Kind}
 * 1 byte   length of the name, then the name in UTF-8
 * 4 bytes  a hash of the formats of argument and result
 * vint     length of the argument, then its bytes
 * </pre>
 *
 * @param format a hash of the formats of argument and result
 * @param argument encoded; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, and compared by equals.
public record FunctionCall(Kind kind, String name, int format, byte[] argument) {

  private static final List<Kind> KINDS = List.of(Kind.values());

  /** What a function is called for. */
  public enum Kind {
    /** To choose entries. */
    FILTER("filter"),
    /** For one result of each entry. */
    MAP("map"),
    /** For any number of results of each entry. */
    FLAT_MAP("flatMap"),
    /** For a combination of results. */
    REDUCE("reduce"),
    /** For a state to which entries are added. */
    COLLECT("collect"),
    /** To change one entry; never a part of a program. */
    PROCESS("process");

    private final String method;

    Kind(String method) {
      this.method = method;
    }

    /** The method of a stream, or of a cache, that calls for it. */
    public String method() {
      return method;
    }

    /** Whether there is one result of many entries. */
    public boolean reduces() {
      return this == REDUCE || this == COLLECT;
    }
  }

  /**
   * A call with an argument.
   *
   * @throws CodecException if the argument cannot be encoded
   */
  public static <A> FunctionCall of(Kind kind, FunctionName<A, ?> function, A argument) {
    ByteOutput out = new ByteOutput();
    try {
      function.argumentCodec().encode(argument, out);
    } catch (ClassCastException e) {
      throw e; // of an argument of another type
    } catch (RuntimeException e) {
      throw new CodecException(
          "The argument of the function \""
              + function.name()
              + "\" cannot be encoded as \""
              + function.argumentCodec().format()
              + '"',
          e);
    }
    int format = format(function.argumentCodec(), function.resultCodec());
    return new FunctionCall(kind, function.name(), format, out.toByteArray());
  }

  /** A hash of the formats of a function's argument and result. */
  public static int format(Codec<?> argument, Codec<?> result) {
    String both = argument.format() + '\n' + result.format();
    return (int) Hashing.xxh3_64().hashBytesToLong(both.getBytes(StandardCharsets.UTF_8));
  }

  /** The call of a processor as it travels: the form above. */
  public byte[] encode() {
    ByteOutput out = new ByteOutput();
    write(out);
    return out.toByteArray();
  }

  /**
   * Reads the call of a processor.
   *
   * @throws IllegalArgumentException if the bytes are malformed, or call for something else
   */
  public static FunctionCall decode(byte[] bytes) {
    ByteInput in = ByteInput.of(bytes);
    FunctionCall call = readAny(in);
    Path.require(call.kind == Kind.PROCESS, "an entry is changed by a call of kind " + call.kind);
    Path.require(in.remaining() == 0, "a call is followed by bytes");
    return call;
  }

  void write(ByteOutput out) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    out.writeByte(KINDS.indexOf(kind));
    out.writeByte(utf8.length);
    out.writeBytes(utf8);
    out.writeInt(format);
    out.writeVarInt(argument.length);
    out.writeBytes(argument);
  }

  static FunctionCall read(ByteInput in) {
    FunctionCall call = readAny(in);
    Path.require(call.kind != Kind.PROCESS, "a program calls a processor");
    return call;
  }

  private static FunctionCall readAny(ByteInput in) {
    int kind = in.readByte();
    Path.require(kind >= 0 && kind < KINDS.size(), "a call is of kind " + kind);
    String name = in.readUtf8(in.readByte() & 0xFF);
    int format = in.readInt();
    int length = in.readVarInt();
    Path.require(length >= 0 && length <= in.remaining(), "an argument has " + length + " bytes");
    return new FunctionCall(KINDS.get(kind), name, format, in.readBytes(length));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FunctionCall that
        && that.kind == kind
        && that.name.equals(name)
        && that.format == format
        && Arrays.equals(that.argument, argument);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(argument);
  }
}
