package dev.headrace.http.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a format: {@code FORMAT := SCALAR | enum NAME | record NAME(NAME FORMAT, ...)}, where a
 * question mark follows a component of fixed size that may be null. Used by one thread, once.
 */
final class FormatText {
  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;

  private FormatText(String text) {
    this.text = text;
  }

  /** The shape of a format, or nothing if it is not made of built-in ones. */
  static Optional<Shape> shape(String format) {
    FormatText reader = new FormatText(format);
    Optional<Shape> shape = reader.shape(0);
    return reader.at == format.length() ? shape : Optional.empty();
  }

  private Optional<Shape> shape(int depth) {
    String kind = name();
    if (kind.equals("enum") && skip(" ")) {
      return name().isEmpty() ? Optional.empty() : Optional.of(Scalar.STRING);
    }
    if (kind.equals("record") && skip(" ")) {
      return name().isEmpty() || !skip("(") || depth == MAX_DEPTH
          ? Optional.empty()
          : components(depth);
    }
    return Optional.ofNullable(Scalar.BY_FORMAT.get(kind));
  }

  private Optional<Shape> components(int depth) {
    List<RecordShape.Component> components = new ArrayList<>();
    while (!skip(")")) {
      if (!components.isEmpty() && !skip(", ")) {
        return Optional.empty();
      }
      String name = name();
      if (name.isEmpty() || !skip(" ")) {
        return Optional.empty();
      }
      Optional<Shape> shape = shape(depth + 1);
      if (shape.isEmpty()) {
        return Optional.empty();
      }
      boolean nullable = skip("?") || shape.get().sizeBytes() == 0;
      components.add(new RecordShape.Component(name, shape.get(), nullable));
    }
    return Optional.of(new RecordShape(List.copyOf(components)));
  }

  private String name() {
    int start = at;
    while (at < text.length() && Character.isJavaIdentifierPart(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private boolean skip(String expected) {
    if (!text.startsWith(expected, at)) {
      return false;
    }
    at += expected.length();
    return true;
  }
}
