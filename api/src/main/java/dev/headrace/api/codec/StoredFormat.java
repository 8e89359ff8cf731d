package dev.headrace.api.codec;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A format as text, taken apart as far as values of a type that has changed need it. Immutable.
 *
 * @param text all of it, without the question mark of what may be null
 * @param kind {@code record}, {@code sealed}, {@code list} and the like; empty if it has no parts
 * @param name the class of a record or sealed interface, else empty
 * @param parts the components of a record, or the formats in the parentheses of any other kind
 */
record StoredFormat(String text, String kind, String name, List<Part> parts) {
  private static final int MAX_DEPTH = 32;
  private static final Set<String> COMPOSED = Set.of("list", "array", "set", "map", "optional");

  /**
   * A part of a format.
   *
   * @param name of a component, else empty
   * @param nullable whether a question mark follows it
   */
  record Part(String name, StoredFormat format, boolean nullable) {

    /** The text with the question mark. */
    String text() {
      return format.text() + (nullable ? "?" : "");
    }
  }

  /** Takes a format apart. What it does not know stays whole. */
  static StoredFormat of(String text) {
    return of(text, 0);
  }

  private static StoredFormat of(String text, int depth) {
    int open = text.indexOf('(');
    if (open < 0 || !text.endsWith(")") || depth == MAX_DEPTH) {
      return whole(text);
    }
    String head = text.substring(0, open);
    int space = head.indexOf(' ');
    String kind = space < 0 ? head : head.substring(0, space);
    String name = space < 0 ? "" : head.substring(space + 1);
    boolean record = kind.equals("record");
    boolean named = record || kind.equals("sealed");
    boolean known = named ? !name.isEmpty() : name.isEmpty() && COMPOSED.contains(kind);
    if (!known) {
      return whole(text);
    }
    List<Part> parts = parts(text.substring(open + 1, text.length() - 1), record, depth + 1);
    if (parts == null || (!named && parts.size() != (kind.equals("map") ? 2 : 1))) {
      return whole(text);
    }
    return new StoredFormat(text, kind, name, parts);
  }

  private static StoredFormat whole(String text) {
    return new StoredFormat(text, "", "", List.of());
  }

  private static @Nullable List<Part> parts(String text, boolean named, int depth) {
    List<Part> parts = new ArrayList<>();
    int start = 0;
    int open = 0;
    for (int i = 0; i <= text.length() && !text.isEmpty(); i++) {
      char next = i < text.length() ? text.charAt(i) : ',';
      open += next == '(' ? 1 : next == ')' ? -1 : 0;
      if (next == ',' && open == 0) {
        Part part = part(text.substring(start, i), named, depth);
        if (part == null) {
          return null;
        }
        parts.add(part);
        start = Math.min(text.length(), i + 2); // behind the space
      }
    }
    return open == 0 ? List.copyOf(parts) : null;
  }

  private static @Nullable Part part(String text, boolean named, int depth) {
    int space = named ? text.indexOf(' ') : -1;
    boolean nullable = text.endsWith("?");
    String format = text.substring(space + 1, text.length() - (nullable ? 1 : 0));
    boolean hasName = space > 0;
    if (named != hasName || format.isEmpty()) {
      return null;
    }
    return new Part(named ? text.substring(0, space) : "", of(format, depth), nullable);
  }

  /** The element of a list, set, array or optional. */
  Part only() {
    return parts.get(0);
  }
}
