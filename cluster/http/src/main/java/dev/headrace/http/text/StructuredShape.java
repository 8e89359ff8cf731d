package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A shape whose text is JSON. */
interface StructuredShape extends Shape {

  @Override
  default String text(ByteInput in) {
    StringBuilder json = new StringBuilder();
    appendJson(in, json);
    return json.toString();
  }

  @Override
  default void encode(String text, ByteOutput out) {
    JsonText.encode(this, text, out);
  }

  @Override
  default int sizeBytes() {
    return 0;
  }

  @Override
  default boolean writable() {
    return false;
  }

  /** Reads the byte that says whether a value is there. */
  static boolean isPresent(ByteInput in) {
    byte presence = in.readByte();
    if (presence != 0 && presence != 1) {
      throw new IllegalArgumentException(
          "There should be 0 (null) or 1 before a value, but there is " + presence);
    }
    return presence == 1;
  }

  /**
   * A value among others: behind its length unless the length is always the same, and behind a byte
   * that says whether it is there if it may be null.
   */
  record Element(Shape shape, boolean nullable) {

    void appendJson(ByteInput in, StringBuilder json) {
      byte[] bytes = read(in);
      if (bytes == null) {
        json.append("null");
      } else {
        shape.appendJson(ByteInput.of(bytes), json);
      }
    }

    byte @Nullable [] read(ByteInput in) {
      if (nullable && !isPresent(in)) {
        return null;
      }
      int size = shape.sizeBytes();
      return in.readBytes(size > 0 ? size : in.readVarInt());
    }

    /** The value that a parser has come to, as it is written. */
    byte[] encodeJson(JsonParser json) throws IOException {
      boolean absent = nullable && json.currentToken() == JsonToken.VALUE_NULL;
      ByteOutput value = new ByteOutput();
      if (!absent) {
        shape.encodeJson(json, value);
      }
      return written(absent ? null : value);
    }

    byte[] written(@Nullable ByteOutput value) {
      ByteOutput out = new ByteOutput();
      if (nullable) {
        out.writeByte(value == null ? 0 : 1);
      }
      if (value != null) {
        if (shape.sizeBytes() == 0) {
          out.writeVarInt(value.size());
        }
        out.writeBytes(value.array(), 0, value.size());
      }
      return out.toByteArray();
    }
  }
}
