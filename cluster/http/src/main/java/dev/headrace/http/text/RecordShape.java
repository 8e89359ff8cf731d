package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A record, which is a JSON object as text.
 *
 * <p>Behind its components lie those that the writer's class has got since the cache began: each
 * with its name, its format, whether it is there (1) or null (0), and its bytes behind their length
 * ({@code Codecs.evolved}). They are read like the others, and not written.
 */
record RecordShape(List<Component> components) implements StructuredShape {

  /**
   * A component.
   *
   * @param nullable whether a byte says if it is there
   */
  record Component(String name, Shape shape, boolean nullable) {}

  @Override
  public void appendJson(ByteInput in, StringBuilder json) {
    char separator = '{';
    for (Component component : components) {
      json.append(separator).append('"');
      JsonStringEncoder.getInstance().quoteAsString(component.name(), json);
      json.append("\":");
      append(component, in, json);
      separator = ',';
    }
    String before = "";
    while (in.remaining() > 0) {
      String name = in.readUtf8(in.readVarInt());
      if (name.compareTo(before) <= 0) {
        throw new IllegalArgumentException("Bytes are left over after a record");
      }
      json.append(separator).append('"');
      JsonStringEncoder.getInstance().quoteAsString(name, json);
      json.append("\":");
      appendAdded(in, json);
      separator = ',';
      before = name;
    }
    json.append(separator == '{' ? "{}" : "}");
  }

  /** An added component, as bytes if nothing is known of its format. */
  private static void appendAdded(ByteInput in, StringBuilder json) {
    String format = in.readUtf8(in.readVarInt());
    if (!StructuredShape.isPresent(in)) {
      json.append("null");
      return;
    }
    byte[] bytes = in.readBytes(in.readVarInt());
    FormatText.shape(format)
        .or(() -> FormatText.shape("bytes"))
        .orElseThrow()
        .appendJson(ByteInput.of(bytes), json);
  }

  private static void append(Component component, ByteInput in, StringBuilder json) {
    if (component.nullable() && !StructuredShape.isPresent(in)) {
      json.append("null");
      return;
    }
    int size = component.shape().sizeBytes();
    byte[] bytes = in.readBytes(size > 0 ? size : in.readVarInt());
    component.shape().appendJson(ByteInput.of(bytes), json);
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException("A record is a JSON object of its fields, " + names());
    }
    byte @Nullable [][] found = new byte[components.size()][];
    boolean[] given = new boolean[components.size()];
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      int index = index(json.currentName());
      if (given[index]) {
        throw new IllegalArgumentException(
            "The field \"" + components.get(index).name() + "\" is given twice");
      }
      given[index] = true;
      Shape shape = components.get(index).shape();
      if (json.nextToken() != JsonToken.VALUE_NULL || shape instanceof OptionalShape) {
        ByteOutput field = new ByteOutput();
        shape.encodeJson(json, field);
        found[index] = field.toByteArray();
      }
    }
    for (int i = 0; i < found.length; i++) {
      if (found[i] == null && components.get(i).shape() instanceof OptionalShape) {
        found[i] = new byte[1]; // absent, and not null
      }
      append(components.get(i), found[i], out);
    }
  }

  private static void append(Component component, byte @Nullable [] bytes, ByteOutput out) {
    if (component.nullable()) {
      out.writeByte(bytes == null ? 0 : 1);
    } else if (bytes == null) {
      throw new IllegalArgumentException(
          "The field \"" + component.name() + "\" is missing, and it is never null");
    }
    if (bytes != null) {
      if (component.shape().sizeBytes() == 0) {
        out.writeVarInt(bytes.length);
      }
      out.writeBytes(bytes);
    }
  }

  private int index(String name) {
    for (int i = 0; i < components.size(); i++) {
      if (components.get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("There is no field \"" + name + "\"; there are " + names());
  }

  private String names() {
    return components.stream().map(Component::name).collect(Collectors.joining(", "));
  }
}
