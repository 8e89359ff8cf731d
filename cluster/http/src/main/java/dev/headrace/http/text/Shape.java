package dev.headrace.cli.text;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;

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

  /** How many bytes every value has, or 0 if they differ. */
  int sizeBytes();

  /** Whether text can be written. */
  boolean writable();
}
