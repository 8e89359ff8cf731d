package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;

/** What the bytes of a format look like. */
interface Shape {

  /** Reads a value from all remaining bytes, as people read it. */
  String text(ByteInput in);

  /** Reads a value from all remaining bytes, as JSON. */
  void appendJson(ByteInput in, StringBuilder json);

  /**
   * Writes a value.
   *
   * @throws IllegalArgumentException if the text is none of this format
   */
  void encode(String text, ByteOutput out);

  /**
   * Writes a value that a JSON parser has come to.
   *
   * @param json at the first token of the value; afterwards at its last one
   * @throws IllegalArgumentException if it is none of this format
   * @throws IOException if it is not JSON
   */
  void encodeJson(JsonParser json, ByteOutput out) throws IOException;

  /** How many bytes every value has, or 0 if they differ. */
  int sizeBytes();

  /** Whether text can be written. */
  boolean writable();
}
