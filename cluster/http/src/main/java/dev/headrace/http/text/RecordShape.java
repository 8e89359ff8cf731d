package dev.headrace.cli.text;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.util.List;

/** A record, which is a JSON object as text. Its fields are checked nowhere, so it is only read. */
record RecordShape(List<Component> components) implements Shape {

  /**
   * A component.
   *
   * @param nullable whether a byte says if it is there
   */
  record Component(String name, Shape shape, boolean nullable) {}

  @Override
  public String text(ByteInput in) {
    StringBuilder json = new StringBuilder();
    appendJson(in, json);
    return json.toString();
  }

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
    json.append(components.isEmpty() ? "{}" : "}");
    if (in.remaining() != 0) {
      throw new IllegalArgumentException(in.remaining() + " bytes are left over after a record");
    }
  }

  private static void append(Component component, ByteInput in, StringBuilder json) {
    if (component.nullable() && in.readByte() == 0) {
      json.append("null");
      return;
    }
    int size = component.shape().sizeBytes();
    byte[] bytes = in.readBytes(size > 0 ? size : in.readVarInt());
    component.shape().appendJson(ByteInput.of(bytes), json);
  }

  @Override
  public void encode(String text, ByteOutput out) {
    throw new IllegalArgumentException("the command line writes no records");
  }

  @Override
  public int sizeBytes() {
    return 0;
  }

  @Override
  public boolean writable() {
    return false;
  }
}
