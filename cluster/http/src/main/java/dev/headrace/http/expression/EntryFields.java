package dev.headrace.http.expression;

import dev.headrace.api.codec.CodecLayout;
import dev.headrace.api.codec.CodecLayout.Component;
import dev.headrace.api.codec.CodecLayout.Composite;
import dev.headrace.api.stream.operator.Operand;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the keys and values of a cache are made of.
 *
 * @param keys the format of its keys
 * @param values the format of its values
 */
record EntryFields(String keys, String values) {

  /**
   * The format of a part of keys or values.
   *
   * @throws IllegalArgumentException if there is no such part; the message names those there are
   */
  String format(Operand part) {
    String format = part.source() == Operand.Source.KEY ? keys : values;
    for (String name : part.path()) {
      CodecLayout layout = CodecLayout.ofFormat(format);
      if (!(layout instanceof Composite record)) {
        throw new IllegalArgumentException(
            "There is no \"" + part + "\": " + format + " has no fields");
      }
      Optional<Component> found = record.component(name);
      if (found.isEmpty()) {
        throw new IllegalArgumentException(
            "There is no \"" + part + "\": " + record.name() + " has " + names(record));
      }
      format = found.get().codec().format();
    }
    return format;
  }

  private static String names(Composite record) {
    return record.components().stream()
        .map(each -> each.name() + " " + each.codec().format())
        .collect(Collectors.joining(", "));
  }
}
