package dev.headrace.http.text;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.FormatCodec;
import org.jspecify.annotations.Nullable;

/**
 * Keys or values of a format as text. One of a format that is not built in can be opened, to count
 * entries, but neither read nor written. May be used by many threads at the same time.
 */
public final class TextCodec implements FormatCodec<String> {
  private final String format;
  private final @Nullable Shape shape;

  private TextCodec(String format, @Nullable Shape shape) {
    this.format = format;
    this.shape = shape;
  }

  /** Of any format. */
  public static TextCodec of(String format) {
    return new TextCodec(format, FormatText.shape(format).orElse(null));
  }

  /** Whether it turns bytes into text. */
  public boolean readable() {
    return shape != null;
  }

  /** Whether it turns text into bytes. */
  public boolean writable() {
    return shape != null && shape.writable();
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(String text, ByteOutput out) {
    Shape known = known();
    if (!known.writable()) {
      throw new IllegalArgumentException("the command line writes single values only");
    }
    known.encode(text, out);
  }

  @Override
  public String decode(ByteInput in) {
    return known().text(in);
  }

  private Shape known() {
    if (shape == null) {
      throw new IllegalArgumentException("Nothing is known of the format \"" + format + "\"");
    }
    return shape;
  }
}
