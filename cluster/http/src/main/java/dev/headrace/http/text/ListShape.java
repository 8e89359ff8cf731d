package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A list, an array or a set, which is a JSON array.
 *
 * @param sorted whether it is a set, whose elements are in the order of their bytes
 */
record ListShape(Element element, boolean sorted) implements StructuredShape {

  @Override
  public void appendJson(ByteInput in, StringBuilder json) {
    if (sorted) {
      appendSorted(new PartOrder(in), json);
      return;
    }
    char separator = '[';
    while (in.remaining() > 0) {
      json.append(separator);
      element.appendJson(in, json);
      separator = ',';
    }
    json.append(separator == '[' ? "[]" : "]");
  }

  private void appendSorted(PartOrder order, StringBuilder json) {
    char separator = '[';
    while (order.in().remaining() > 0) {
      json.append(separator);
      order.begin();
      element.appendJson(order.in(), json);
      order.end();
      separator = ',';
    }
    json.append(separator == '[' ? "[]" : "]");
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new IllegalArgumentException("A list or a set is an array in JSON");
    }
    List<byte[]> elements = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      elements.add(element.encodeJson(json));
    }
    if (sorted) {
      elements.sort(Arrays::compareUnsigned);
    }
    for (int i = 0; i < elements.size(); i++) {
      if (sorted && i > 0 && Arrays.equals(elements.get(i - 1), elements.get(i))) {
        throw new IllegalArgumentException("An element of a set is given twice");
      }
      out.writeBytes(elements.get(i));
    }
  }
}
