package dev.headrace.http.text;

import com.fasterxml.jackson.core.JsonParser;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Encoded values of a format as text and as JSON, in both directions. May be used by many threads
 * at the same time.
 *
 * <p>All methods but {@link #format}, {@link #isKnown}, {@link #isStructured} and {@link #isBytes}
 * need a known format.
 */
public final class TextForm {
  private final String format;
  private final @Nullable Shape shape;

  private TextForm(String format, @Nullable Shape shape) {
    this.format = format;
    this.shape = shape;
  }

  /** Of any format. */
  public static TextForm of(String format) {
    return new TextForm(format, FormatText.shape(format).orElse(null));
  }

  /** The format. */
  public String format() {
    return format;
  }

  /** Whether the format is made of built-in ones, so that its bytes can be read. */
  public boolean isKnown() {
    return shape != null;
  }

  /** Whether values consist of others, such as records and lists, so that their text is JSON. */
  public boolean isStructured() {
    return shape instanceof StructuredShape;
  }

  /** Whether values are bytes of any kind. */
  public boolean isBytes() {
    return format.equals("bytes");
  }

  /**
   * A value as people read it.
   *
   * @throws RuntimeException if the bytes are no value of this format
   */
  public String text(byte[] value) {
    return known().text(ByteInput.of(value));
  }

  /**
   * Appends a value as JSON.
   *
   * @throws RuntimeException if the bytes are no value of this format
   */
  public void appendJson(byte[] value, StringBuilder json) {
    known().appendJson(ByteInput.of(value), json);
  }

  /**
   * Checks that bytes are a value of this format.
   *
   * @throws IllegalArgumentException if they are not
   */
  public void check(byte[] value) {
    try {
      var unused = known().text(ByteInput.of(value));
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("The bytes are no value of " + format, e);
    }
  }

  /**
   * Reads a value from text; one that consists of others from JSON.
   *
   * @throws IllegalArgumentException if it is none of this format
   */
  public byte[] parseText(String text) {
    ByteOutput out = new ByteOutput();
    known().encode(text, out);
    return out.toByteArray();
  }

  /**
   * Reads a value from text in UTF-8.
   *
   * @throws IllegalArgumentException if it is none of this format, or not UTF-8
   */
  public byte[] parseText(byte[] text) {
    return parseText(utf8(text));
  }

  /**
   * Reads a value that a JSON parser has come to.
   *
   * @param json at the first token of the value; afterwards at its last one
   * @throws IllegalArgumentException if it is none of this format
   * @throws IOException if it is not JSON
   */
  public byte[] readJson(JsonParser json) throws IOException {
    ByteOutput out = new ByteOutput();
    known().encodeJson(json, out);
    return out.toByteArray();
  }

  /**
   * Reads a value from JSON.
   *
   * @throws IllegalArgumentException if it is not JSON, or none of this format
   */
  public byte[] parseJson(byte[] json) {
    ByteOutput out = new ByteOutput();
    JsonText.encode(known(), utf8(json), out);
    return out.toByteArray();
  }

  private static String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("The text is not UTF-8", e);
    }
  }

  private Shape known() {
    if (shape == null) {
      throw new IllegalArgumentException(
          "Nothing is known of the format \"" + format + "\": its values are raw bytes only");
    }
    return shape;
  }
}
