package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * One value of JSON, whatever has written it: it is read on one line, and written without spaces.
 * Of its type only the name is known, so that whatever is JSON is taken, except null.
 */
record JsonShape() implements StructuredShape {

  @Override
  public void appendJson(ByteInput in, StringBuilder json) {
    String text = in.readUtf8(in.remaining());
    try (JsonParser parser = JsonText.factory().createParser(text)) {
      if (parser.nextToken() == null) {
        throw new IllegalArgumentException("There is no JSON");
      }
      parser.skipChildren();
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("Something follows the end of the JSON");
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("The bytes are not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it reads from memory
    }
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next >= ' ') {
        json.append(next); // others are no part of a string, and between parts they say nothing
      }
    }
  }

  @Override
  public void encodeJson(JsonParser json, ByteOutput out) throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      throw new IllegalArgumentException("A value is never null");
    }
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = JsonText.factory().createGenerator(text)) {
      copy(json, generator);
    }
    out.writeUtf8(text.toString());
  }

  /** Copies a value, numbers digit by digit. */
  private static void copy(JsonParser json, JsonGenerator generator) throws IOException {
    int open = 0;
    do {
      JsonToken token = json.currentToken();
      if (token.isNumeric()) {
        generator.writeNumber(json.getText());
      } else {
        generator.copyCurrentEvent(json);
      }
      open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    } while (open > 0 && json.nextToken() != null);
  }

  @Override
  public boolean writable() {
    return true;
  }
}
