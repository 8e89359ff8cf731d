package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.http.text.TextForm;

/**
 * Entries as JSON objects {@code {"key":…,"value":…}}: one a line, or as an array. A token is an
 * object {@code {"resume":"…"}} among them, a failure {@code {"error":{…},"resume":"…"}}.
 */
final class JsonWriter implements EntryWriter {
  private final TextForm keys;
  private final TextForm values;
  private final boolean array;
  private final StringBuilder json = new StringBuilder();
  private boolean follows;

  /**
   * @param array whether all objects are one array, instead of one a line
   */
  JsonWriter(TextForm keys, TextForm values, boolean array) {
    this.keys = keys;
    this.values = values;
    this.array = array;
  }

  @Override
  public void begin(ByteOutput out) {
    if (array) {
      out.writeByte('[');
    }
  }

  @Override
  public void entry(byte[] key, byte[] value, ByteOutput out) {
    json.setLength(0);
    json.append("{\"key\":");
    keys.appendJson(key, json);
    json.append(",\"value\":");
    values.appendJson(value, json);
    put(out);
  }

  @Override
  public void token(String token, ByteOutput out) {
    json.setLength(0);
    json.append("{\"resume\":\"").append(token).append('"');
    put(out);
  }

  @Override
  public void failure(String problem, String token, ByteOutput out) {
    json.setLength(0);
    json.append("{\"error\":").append(problem);
    if (!token.isEmpty()) {
      json.append(",\"resume\":\"").append(token).append('"');
    }
    put(out);
  }

  /** Ends the object and puts it behind the others. */
  private void put(ByteOutput out) {
    if (array && follows) {
      out.writeByte(',');
    }
    follows = true;
    json.append("}\n");
    out.writeUtf8(json.toString());
  }

  @Override
  public void end(ByteOutput out) {
    if (array) {
      out.writeByte(']');
      out.writeByte('\n');
    }
  }
}
