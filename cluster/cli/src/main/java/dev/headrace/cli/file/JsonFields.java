package dev.headrace.cli.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes a JSON object apart. */
final class JsonFields {

  /** A value is as large as the cluster allows, whatever Jackson's own limits are. */
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private JsonFields() {}

  /**
   * The fields of a JSON object in their order: strings and other scalars as their texts, null as
   * an empty text, arrays and objects as JSON. Returns null if the text is anything but one object.
   */
  static @Nullable Map<String, String> of(String text) {
    if (!text.stripLeading().startsWith("{")) {
      return null;
    }
    try (JsonParser parser = JSON.createParser(text)) {
      parser.nextToken();
      Map<String, String> fields = new LinkedHashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        fields.put(name, fieldText(text, parser));
      }
      return parser.nextToken() == null ? fields : null;
    } catch (JsonProcessingException e) {
      return null; // any text may be a value; this one is not JSON
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot happen: there is no file behind a string", e);
    }
  }

  private static String fieldText(String text, JsonParser parser) throws IOException {
    JsonToken value = parser.nextToken();
    if (value == JsonToken.VALUE_NULL) {
      return "";
    }
    if (!value.isStructStart()) {
      return parser.getText();
    }
    int start = (int) parser.currentTokenLocation().getCharOffset();
    parser.skipChildren();
    return text.substring(start, (int) parser.currentLocation().getCharOffset());
  }
}
