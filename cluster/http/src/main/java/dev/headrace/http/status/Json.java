package dev.headrace.http.status;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Writes JSON into memory. */
final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** What writes a value. */
  @FunctionalInterface
  interface Content {
    void write(JsonGenerator json) throws IOException;
  }

  /** The text of an object with this content. */
  static String object(Content content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      content.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it writes into memory
    }
    return text.toString();
  }
}
