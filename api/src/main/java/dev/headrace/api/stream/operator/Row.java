package dev.headrace.api.stream.operator;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Some parts of an entry, by their names. Immutable. */
public final class Row {

  private final List<String> names;
  private final @Nullable Object[] values;

  /**
   * A row.
   *
   * @param names the names of the parts, in order
   * @param values as many values, which are not copied
   */
  public Row(List<String> names, @Nullable Object... values) {
    if (names.size() != values.length) {
      throw new IllegalArgumentException(
          "a row has " + names.size() + " names and " + values.length + " values");
    }
    this.names = List.copyOf(names);
    this.values = values;
  }

  /** The names of the parts, as they were selected. */
  public List<String> names() {
    return names;
  }

  /**
   * A part, or null if it is null.
   *
   * @throws IllegalArgumentException if it was not selected
   */
  public @Nullable Object get(String name) {
    int index = names.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException("\"" + name + "\" is not in this row, only " + names);
    }
    return values[index];
  }

  /**
   * A part of a type, or null if it is null.
   *
   * @param type the wrapper of a primitive type
   * @throws IllegalArgumentException if it was not selected
   * @throws ClassCastException if it has another type
   */
  public <T> @Nullable T get(String name, Class<T> type) {
    return type.cast(get(name));
  }

  /** The parts by their names, in order. */
  public Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      all.put(names.get(i), values[i]);
    }
    return Collections.unmodifiableMap(all);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Row that && that.toMap().equals(toMap());
  }

  @Override
  public int hashCode() {
    return toMap().hashCode();
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "{", "}");
    toMap().forEach((name, value) -> text.add(name + "=" + value));
    return text.toString();
  }
}
