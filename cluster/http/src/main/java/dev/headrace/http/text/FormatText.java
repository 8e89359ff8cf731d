package dev.headrace.http.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a format. A question mark follows a component of fixed size that may be null, and an
 * element or value of any kind that may. Used by one thread, once.
 *
 * <pre>
 * FORMAT := SCALAR | enum NAME | record NAME(NAME FORMAT, ...) | sealed NAME(FORMAT, ...)
 *         | list(FORMAT) | array(FORMAT) | set(FORMAT) | map(FORMAT, FORMAT) | optional(FORMAT)
 *         | json TYPE
 * TYPE   := NAME | NAME(TYPE, ...)
 * </pre>
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
    return Optional.ofNullable(read(depth)).map(SealedShape.Alternative::shape);
  }

  /** A shape, with the name of its class if it has one. */
  private SealedShape.@Nullable Alternative read(int depth) {
    String kind = name();
    if (!skip(" ")) {
      Shape shape = skip("(") ? composed(kind, depth) : Scalar.BY_FORMAT.get(kind);
      return shape == null ? null : new SealedShape.Alternative("", shape);
    }
    String name = name();
    if (name.isEmpty()) {
      return null;
    }
    Shape shape =
        switch (kind) {
          case "enum" -> Scalar.STRING;
          case "record" -> skip("(") && depth < MAX_DEPTH ? components(depth).orElse(null) : null;
          case "sealed" -> skip("(") && depth < MAX_DEPTH ? alternatives(depth) : null;
          case "json" -> parameters(depth) ? new JsonShape() : null;
          default -> null;
        };
    return shape == null ? null : new SealedShape.Alternative(name, shape);
  }

  /** Reads the parameters of a type, if it has any. */
  private boolean parameters(int depth) {
    if (!skip("(")) {
      return true;
    }
    do {
      if (depth == MAX_DEPTH || name().isEmpty() || !parameters(depth + 1)) {
        return false;
      }
    } while (skip(", "));
    return skip(")");
  }

  private @Nullable Shape alternatives(int depth) {
    List<SealedShape.Alternative> found = new ArrayList<>();
    while (!skip(")")) {
      boolean separated = found.isEmpty() || skip(", ");
      SealedShape.Alternative next = separated ? read(depth + 1) : null;
      if (next == null || next.name().isEmpty()) {
        return null;
      }
      found.add(next);
    }
    return new SealedShape(List.copyOf(found));
  }

  /** What has other shapes in parentheses. */
  private @Nullable Shape composed(String kind, int depth) {
    if (depth == MAX_DEPTH) {
      return null;
    }
    Shape first = shape(depth + 1).orElse(null);
    boolean map = kind.equals("map");
    Shape last = map && skip(", ") ? shape(depth + 1).orElse(null) : map ? null : first;
    if (first == null || last == null) {
      return null;
    }
    StructuredShape.Element element = new StructuredShape.Element(last, skip("?"));
    if (!skip(")")) {
      return null;
    }
    return switch (kind) {
      case "list", "array" -> new ListShape(element, false);
      case "set" -> element.nullable() ? null : new ListShape(element, true);
      case "map" -> new MapShape(first, element);
      case "optional" -> new OptionalShape(first);
      default -> null;
    };
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
