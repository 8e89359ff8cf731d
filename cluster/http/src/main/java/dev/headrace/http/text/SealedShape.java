package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** A value of one of several classes: a JSON object with the class's name and the value. */
record SealedShape(List<Alternative> alternatives) implements StructuredShape {

  /** A class. */
  record Alternative(String name, Shape shape) {}

  @Override
  public void appendJson(ByteInput in, StringBuilder json) {
    int index = in.readVarInt();
    if (index < 0 || index >= alternatives.size()) {
      throw new IllegalArgumentException("There is no class " + index + " in " + names());
    }
    Alternative found = alternatives.get(index);
    json.append("{\"");
    JsonStringEncoder.getInstance().quoteAsString(found.name(), json);
    json.append("\":");
    found.shape().appendJson(ByteInput.of(in.readBytes(in.remaining())), json);
    json.append('}');
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    boolean object = json.currentToken() == JsonToken.START_OBJECT;
    if (!object || json.nextToken() != JsonToken.FIELD_NAME) {
      throw new IllegalArgumentException(
          "A value of " + names() + " is an object with the class's name and the value in JSON");
    }
    int index = index(json.currentName());
    out.writeVarInt(index);
    json.nextToken();
    alternatives.get(index).shape().encodeJson(json, out);
    if (json.nextToken() != JsonToken.END_OBJECT) {
      throw new IllegalArgumentException("A value of " + names() + " is of one class only");
    }
  }

  private int index(String name) {
    for (int i = 0; i < alternatives.size(); i++) {
      if (alternatives.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("There is no class \"" + name + "\" in " + names());
  }

  private String names() {
    return alternatives.stream().map(Alternative::name).collect(Collectors.joining(", ", "(", ")"));
  }
}
