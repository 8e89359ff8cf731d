package dev.headrace.cli.file;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries as NDJSON: the key comes first; the fields of a value that is a JSON object follow as
 * they are, any other value is a string in the field {@code value}.
 */
final class JsonLinesSink implements EntrySink {
  private static final JsonStringEncoder JSON = JsonStringEncoder.getInstance();

  private final String keyField;
  private final String start;

  JsonLinesSink(String keyField) {
    this.keyField = keyField;
    start = "{\"" + new String(JSON.quoteAsString(keyField)) + "\":\"";
  }

  @Override
  public void append(String key, @Nullable String value, StringBuilder out) {
    Map<String, String> fields = value == null ? null : JsonFields.of(value);
    if (value != null && fields != null) {
      appendObject(key, value, fields, out);
      return;
    }
    appendKey(key, out);
    if (value != null) {
      out.append(",\"value\":\"");
      JSON.quoteAsString(value, out);
      out.append('"');
    }
    out.append("}\n");
  }

  private void appendObject(
      String key, String value, Map<String, String> fields, StringBuilder out) {
    // Between the tokens of JSON a line break is as good as a space; inside strings there is none.
    String object = value.strip().replace('\n', ' ').replace('\r', ' ');
    String present = fields.get(keyField);
    if (present != null) {
      if (!present.equals(key)) {
        throw new IllegalArgumentException(
            "the value of key \""
                + key
                + "\" has a field \""
                + keyField
                + "\" of its own: start again with another field for the key, --key-field");
      }
      out.append(object).append('\n');
      return;
    }
    appendKey(key, out);
    String rest = object.substring(1).stripLeading();
    out.append(fields.isEmpty() ? "" : ",").append(rest).append('\n');
  }

  private void appendKey(String key, StringBuilder out) {
    out.append(start);
    JSON.quoteAsString(key, out);
    out.append('"');
  }
}
