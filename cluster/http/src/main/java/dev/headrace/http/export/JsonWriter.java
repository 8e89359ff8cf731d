package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;

/**
 * Elements as JSON objects: one a line, or as an array. A token is an object {@code {"resume":"…"}}
 * among them, a failure {@code {"error":{…},"resume":"…"}}.
 */
final class JsonWriter<T> implements ElementWriter<T> {
  private final ElementText<T> text;
  private final boolean array;
  private final StringBuilder json = new StringBuilder();
  private boolean follows;

  /**
   * @param array whether all objects are one array, instead of one a line
   */
  JsonWriter(ElementText<T> text, boolean array) {
    this.text = text;
    this.array = array;
  }

  @Override
  public void begin(ByteOutput out) {
    if (array) {
      out.writeByte('[');
    }
  }

  @Override
  public void element(T element, ByteOutput out) {
    json.setLength(0);
    text.appendJson(element, json);
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
