package dev.headrace.api.codec;

import dev.headrace.api.codec.CodecLayout.Component;
import dev.headrace.api.codec.CodecLayout.Composite;
import dev.headrace.api.codec.CodecLayout.Scalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a layout from a format: {@code FORMAT := SCALAR | enum NAME | record NAME(NAME FORMAT, ...)
 * | KIND(...) | sealed NAME(...) | json NAME | json NAME(...)}, where a question mark follows a
 * component of fixed size that may be null. What is in the parentheses of lists and other kinds is
 * not looked at. Used by one thread, once.
 */
final class FormatLayout {
  private static final int MAX_DEPTH = 32;
  private static final Set<String> COMPOSED = Set.of("list", "array", "set", "map", "optional");
  private static final Set<String> VARIABLE =
      Set.of("biginteger", "bigdecimal", "zoneddatetime", "period", "uri");

  private final String text;
  private int at;

  private FormatLayout(String text) {
    this.text = text;
  }

  /** The layout of a format, or null if it is not made of built-in ones. */
  static @Nullable CodecLayout of(String format) {
    FormatLayout reader = new FormatLayout(format);
    CodecLayout layout = reader.layout(0);
    return reader.at == format.length() ? layout : null;
  }

  private @Nullable CodecLayout layout(int depth) {
    int start = at;
    String kind = name();
    if (kind.equals("enum") && skip(" ")) {
      return name().isEmpty() ? null : Scalar.ENUM;
    }
    if (kind.equals("record") && skip(" ")) {
      String name = name();
      return name.isEmpty() || !skip("(") || depth == MAX_DEPTH ? null : components(name, depth);
    }
    if (kind.equals("sealed") && skip(" ")) {
      return name().isEmpty() ? null : composed(start);
    }
    if (kind.equals("json") && skip(" ")) {
      return name().isEmpty() ? null : json(start);
    }
    if (COMPOSED.contains(kind)) {
      return composed(start);
    }
    if (VARIABLE.contains(kind)) {
      return new CodecLayout.Opaque(kind, 0);
    }
    for (Scalar scalar : Scalar.values()) {
      if (scalar != Scalar.ENUM && scalar.name().toLowerCase(Locale.ROOT).equals(kind)) {
        return scalar;
      }
    }
    return FixedCodec.layoutOfTime(kind);
  }

  /** JSON of a type, whose parameters are in parentheses; see the module headrace-jackson. */
  private @Nullable CodecLayout json(int start) {
    return text.startsWith("(", at)
        ? composed(start)
        : new CodecLayout.Opaque(text.substring(start, at), 0);
  }

  /** What has other formats in parentheses. */
  private @Nullable CodecLayout composed(int start) {
    if (!text.startsWith("(", at)) {
      return null;
    }
    int open = 0;
    do {
      char next = at < text.length() ? text.charAt(at) : 0;
      if (next == 0) {
        return null;
      }
      open += next == '(' ? 1 : next == ')' ? -1 : 0;
      at++;
    } while (open > 0);
    return new CodecLayout.Opaque(text.substring(start, at), 0);
  }

  private @Nullable Composite components(String record, int depth) {
    List<Component> components = new ArrayList<>();
    while (!skip(")")) {
      if (!components.isEmpty() && !skip(", ")) {
        return null;
      }
      String name = name();
      if (name.isEmpty() || !skip(" ")) {
        return null;
      }
      int start = at;
      CodecLayout layout = layout(depth + 1);
      if (layout == null) {
        return null;
      }
      Codec<?> codec = new EncodedCodec(text.substring(start, at));
      boolean nullable = skip("?") || layout.sizeBytes() == 0;
      components.add(new Component(name, nullable, byte[].class, codec));
    }
    return new Composite(record, components, List.of());
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
