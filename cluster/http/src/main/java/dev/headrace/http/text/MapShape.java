package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A map, which is a JSON object. The text of a key is the name of its value. */
record MapShape(Shape key, Element value) implements StructuredShape {

  @Override
  public void appendJson(ByteInput whole, StringBuilder json) {
    Element keys = new Element(key, false);
    PartOrder order = new PartOrder(whole);
    ByteInput in = order.in();
    char separator = '{';
    while (in.remaining() > 0) {
      order.begin();
      byte[] name = keys.read(in);
      order.end();
      json.append(separator).append('"');
      if (name != null) {
        JsonStringEncoder.getInstance().quoteAsString(key.text(ByteInput.of(name)), json);
      }
      json.append("\":");
      value.appendJson(in, json);
      separator = ',';
    }
    json.append(separator == '{' ? "{}" : "}");
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException("A map is an object in JSON");
    }
    Element keys = new Element(key, false);
    Map<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      ByteOutput encoded = new ByteOutput();
      key.encode(name, encoded);
      json.nextToken();
      if (entries.put(keys.written(encoded), value.encodeJson(json)) != null) {
        throw new IllegalArgumentException("The key \"" + name + "\" is given twice");
      }
    }
    entries.forEach(
        (name, bytes) -> {
          out.writeBytes(name);
          out.writeBytes(bytes);
        });
  }
}
