package dev.headrace.http.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.text.JsonText;
import dev.headrace.http.text.TextForm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines of JSON as an export writes them: {@code {"key":…,"value":…}}. A line with a token is
 * passed over, one that tells why an export has broken off is refused.
 */
final class JsonRecords implements RecordReader {
  private static final JsonFactory JSON = JsonText.factory();

  private final TextForm keys;
  private final TextForm values;

  JsonRecords(OpenCache cache) {
    this.keys = cache.keys();
    this.values = cache.values();
  }

  @Override
  public Map.@Nullable Entry<byte[], byte[]> read(byte[] text) {
    try (JsonParser json = JSON.createParser(utf8(text))) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("A line is a JSON object with key and value");
      }
      Map.Entry<byte[], byte[]> entry = entry(json);
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("Something follows the JSON object");
      }
      return entry;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("This is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it reads from memory
    }
  }

  private Map.@Nullable Entry<byte[], byte[]> entry(JsonParser json) throws IOException {
    byte[] key = null;
    byte[] value = null;
    boolean token = false;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "key" -> key = once(key, name, keys.readJson(json));
        case "value" -> value = once(value, name, values.readJson(json));
        case "resume" -> {
          token = true;
          json.skipChildren();
        }
        case "error" -> throw new IllegalArgumentException("The export has broken off here");
        default ->
            throw new IllegalArgumentException(
                "There is a member \"" + name + "\" beside key and value");
      }
    }
    if (token && key == null && value == null) {
      return null;
    }
    if (key == null || value == null) {
      throw new IllegalArgumentException("There is no " + (key == null ? "key" : "value"));
    }
    return Map.entry(key, value);
  }

  private static byte[] once(byte @Nullable [] before, String name, byte[] now) {
    if (before != null) {
      throw new IllegalArgumentException("There are two members \"" + name + "\"");
    }
    return now;
  }

  static String utf8(byte[] text) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("The text is not UTF-8", e);
    }
  }
}
