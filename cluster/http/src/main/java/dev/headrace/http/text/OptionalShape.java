package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;

/** A value that may be absent, which is null in JSON then. */
record OptionalShape(Shape shape) implements StructuredShape {

  @Override
  public void appendJson(ByteInput in, StringBuilder json) {
    if (!StructuredShape.isPresent(in)) {
      json.append("null");
    } else {
      shape.appendJson(ByteInput.of(in.readBytes(in.remaining())), json);
    }
    if (in.remaining() != 0) {
      throw new IllegalArgumentException(in.remaining() + " bytes are left over after nothing");
    }
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    boolean absent = json.currentToken() == JsonToken.VALUE_NULL;
    out.writeByte(absent ? 0 : 1);
    if (!absent) {
      shape.encodeJson(json, out);
    }
  }
}
