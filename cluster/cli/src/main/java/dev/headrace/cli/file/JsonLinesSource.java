package dev.headrace.cli.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.headrace.cli.file.MalformedTextException.Place;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Entries of NDJSON: one JSON object a line, which is kept as it is. Empty lines are left out. */
final class JsonLinesSource implements EntrySource {
  /** Reads records of any length that there may be. */
  static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Utf8Text.MAX_RECORD_CHARS).build())
          .build();

  private final Utf8Text text;
  private final String keyField;
  private final char[] buffer = new char[16 << 10];
  private int position;
  private int limit;

  /** The text's offset of the buffer's first character. */
  private long bufferOffset;

  private long lineNumber;

  JsonLinesSource(Utf8Text text, String keyField) {
    this.text = text;
    this.keyField = keyField;
  }

  @Override
  public long line() {
    return lineNumber;
  }

  @Override
  public String record(String value) {
    return value;
  }

  @Override
  public long bytesRead() {
    return text.bytesRead();
  }

  @Override
  public Map.@Nullable Entry<String, String> next() throws IOException {
    String line = nextLine();
    while (line != null && line.isBlank()) {
      line = nextLine();
    }
    return line == null ? null : Map.entry(key(line), line.strip());
  }

  private String key(String line) throws IOException {
    try (JsonParser parser = JSON.createParser(line)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw malformed(line, parser.currentTokenLocation(), "every line must be a JSON object");
      }
      String key = null;
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        boolean isKey = keyField.equals(parser.currentName());
        JsonToken value = parser.nextToken();
        if (isKey) {
          if (key != null) {
            throw malformed(
                line, parser.currentTokenLocation(), "the field \"" + keyField + "\" occurs twice");
          }
          key = key(line, parser, value);
        }
        parser.skipChildren();
      }
      JsonLocation end = parser.currentTokenLocation();
      if (parser.nextToken() != null) {
        throw malformed(
            line, parser.currentTokenLocation(), "something follows the object in the same line");
      }
      if (key == null) {
        throw malformed(line, end, "the object has no field \"" + keyField + "\" to be the key");
      }
      return key;
    } catch (JsonProcessingException e) {
      String problem = e.getOriginalMessage().lines().findFirst().orElse("unreadable");
      throw malformed(
          line,
          e.getLocation(),
          problem.startsWith("Unexpected end-of-input")
              ? "the line ends inside a JSON object"
              : "not JSON: " + problem);
    }
  }

  private String key(String line, JsonParser parser, JsonToken value) throws IOException {
    if (!value.isScalarValue() || value == JsonToken.VALUE_NULL) {
      throw malformed(
          line,
          parser.currentTokenLocation(),
          "the key \"" + keyField + "\" must be a string, a number or a boolean");
    }
    String key = parser.getText();
    if (key.isEmpty()) {
      throw malformed(line, parser.currentTokenLocation(), "the key is empty");
    }
    return key;
  }

  private MalformedTextException malformed(
      String line, @Nullable JsonLocation location, String problem) {
    int chars = location == null ? 0 : Math.max(0, location.getColumnNr() - 1);
    int column = line.codePointCount(0, Math.min(chars, line.length())) + 1;
    return new MalformedTextException(new Place(lineNumber, column), problem, line);
  }

  /** The next line without its end, or null. */
  private @Nullable String nextLine() throws IOException {
    text.mark(bufferOffset + position);
    StringBuilder line = new StringBuilder();
    while (true) {
      if (position == limit && !fill()) {
        lineNumber++;
        return line.isEmpty() ? null : line.toString();
      }
      int start = position;
      while (position < limit && buffer[position] != '\n') {
        position++;
      }
      line.append(buffer, start, position - start);
      if (position < limit) {
        position++;
        lineNumber++;
        return line.toString();
      }
    }
  }

  private boolean fill() throws IOException {
    bufferOffset += limit;
    position = 0;
    limit = Math.max(0, text.read(buffer, 0, buffer.length));
    return limit > 0;
  }
}
