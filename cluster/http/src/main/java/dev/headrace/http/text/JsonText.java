package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads JSON of any length, which the port has bounded. May be used by many threads. */
public final class JsonText {

  /** Names are not kept: those of a map are as many and as long as its keys. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(Scalar.MAX_NUMBER_CHARS)
                  .build())
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .build();

  private JsonText() {}

  /**
   * Makes parsers without bounds for strings and names, and with that of the formats for numbers.
   */
  public static JsonFactory factory() {
    return FACTORY;
  }

  /**
   * Writes the value that a text consists of.
   *
   * @throws IllegalArgumentException if it is not JSON, or none of this format
   */
  static void encode(Shape shape, String text, ByteOutput out) {
    try (JsonParser json = FACTORY.createParser(text)) {
      if (json.nextToken() == null) {
        throw new IllegalArgumentException("There is no JSON");
      }
      shape.encodeJson(json, out);
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("Something follows the end of the JSON");
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("This is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it reads from memory
    }
  }
}
