package dev.headrace.jcache.codec;

import java.io.ObjectInputFilter.Status;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * What a pattern in the form of {@code jdk.serialFilter} says about the name of a class, since the
 * JDK's own filter can only be asked when the class has been loaded.
 *
 * <p>Limits say nothing about names and are passed over. A name does not tell the module of its
 * class, so a part that names a module is taken as if it named none.
 */
final class NamePattern {
  private final List<Part> parts;

  private record Part(boolean rejects, Predicate<String> names) {}

  /** A pattern, which the JDK has found to be one. */
  NamePattern(String pattern) {
    this.parts =
        Arrays.stream(pattern.split(";", -1))
            .filter(part -> !part.isEmpty() && part.indexOf('=') < 0)
            .map(NamePattern::part)
            .toList();
  }

  private static Part part(String text) {
    boolean rejects = text.startsWith("!");
    int start = Math.max(rejects ? 1 : 0, text.indexOf('/') + 1);
    return new Part(rejects, matcher(text.substring(start)));
  }

  private static Predicate<String> matcher(String names) {
    if (names.endsWith(".**")) {
      String prefix = names.substring(0, names.length() - 2);
      return name -> name.startsWith(prefix);
    }
    if (names.endsWith(".*")) {
      String prefix = names.substring(0, names.length() - 1);
      return name -> name.startsWith(prefix) && name.lastIndexOf('.') == prefix.length() - 1;
    }
    if (names.endsWith("*")) {
      String prefix = names.substring(0, names.length() - 1);
      return name -> name.startsWith(prefix);
    }
    return name -> name.equals(names);
  }

  /** What the first part that matches says about a class that is no array. */
  Status of(String name) {
    for (Part part : parts) {
      if (part.names().test(name)) {
        return part.rejects() ? Status.REJECTED : Status.ALLOWED;
      }
    }
    return Status.UNDECIDED;
  }
}
