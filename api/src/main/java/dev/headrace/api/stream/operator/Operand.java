package dev.headrace.api.stream.operator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * A part of an entry that a condition compares, a row selects or a reduction adds up. Made by
 * {@link Expressions}.
 *
 * <p>What it is compared with has the type of the part: a {@link String} or {@code byte[]}, an enum
 * constant or its name, a {@link Boolean}, {@link Character}, {@link java.util.UUID} or {@link
 * java.time.Instant}; a whole number of any type for a whole number, and any {@link Number} without
 * loss for a floating-point one. A version is compared with an {@link
 * dev.headrace.api.stream.EntryVersion}, a lifespan with a {@link java.time.Duration}. Another type
 * is refused when the condition is given to a stream.
 *
 * <p>Strings are ordered by their code points, byte arrays by their unsigned bytes, shorter first.
 * Not-a-number equals nothing. Booleans, enums and UUIDs have no order here.
 *
 * @param source where the part is
 * @param path the names of components, from the outermost record to the part; empty for all
 * @param length whether the number of encoded bytes is meant, and not the part itself
 */
public record Operand(Source source, List<String> path, boolean length) {

  /** Where a part of an entry is. */
  public enum Source {
    /** The key. */
    KEY,
    /** The value. */
    VALUE,
    /** The version, which grows with every write of the entry. */
    VERSION,
    /** What is left until the entry expires; null if it does not expire. */
    LIFESPAN
  }

  /** Copies the path. */
  public Operand {
    Objects.requireNonNull(source, "source");
    path = List.copyOf(path);
  }

  /** Equal. */
  public EntryCondition eq(Object constant) {
    return compare(EntryCondition.Relation.EQUAL, constant);
  }

  /** Not equal. False, as every comparison, if the part is null. */
  public EntryCondition ne(Object constant) {
    return compare(EntryCondition.Relation.UNEQUAL, constant);
  }

  /** Less. */
  public EntryCondition lt(Object constant) {
    return compare(EntryCondition.Relation.LESS, constant);
  }

  /** Less or equal. */
  public EntryCondition le(Object constant) {
    return compare(EntryCondition.Relation.AT_MOST, constant);
  }

  /** Greater. */
  public EntryCondition gt(Object constant) {
    return compare(EntryCondition.Relation.GREATER, constant);
  }

  /** Greater or equal. */
  public EntryCondition ge(Object constant) {
    return compare(EntryCondition.Relation.AT_LEAST, constant);
  }

  /** From a least to a most, both included. */
  public EntryCondition between(Object least, Object most) {
    return ge(least).and(le(most));
  }

  /** Equal to one of these; to none if there are none. */
  public EntryCondition in(Object... constants) {
    return in(List.of(constants));
  }

  /** Equal to one of these; to none if there are none. */
  public EntryCondition in(Collection<?> constants) {
    List<Object> all = new ArrayList<>(constants);
    return new EntryCondition.Membership(this, all);
  }

  /** Begins with this string. */
  public EntryCondition startsWith(String prefix) {
    return new EntryCondition.Prefix(this, Objects.requireNonNull(prefix, "prefix"));
  }

  /** Begins with these bytes. */
  public EntryCondition startsWith(byte[] prefix) {
    return new EntryCondition.Prefix(this, prefix.clone());
  }

  /** Is null, or lies in a record that is null. */
  public EntryCondition isNull() {
    return new EntryCondition.Absence(this);
  }

  /** Is there. */
  public EntryCondition isNotNull() {
    return isNull().not();
  }

  /** The number of encoded bytes: of a string, those of its UTF-8. */
  public Operand lengthBytes() {
    return new Operand(source, path, true);
  }

  private EntryCondition compare(EntryCondition.Relation relation, Object constant) {
    return new EntryCondition.Comparison(
        this, relation, Objects.requireNonNull(constant, "constant"));
  }

  /** As in a message: {@code price}, {@code customer.country}, {@code key}. */
  @Override
  public String toString() {
    String name = String.join(".", path);
    String whole =
        switch (source) {
          case KEY -> path.isEmpty() ? "key" : "key." + name;
          case VALUE -> path.isEmpty() ? "value" : name;
          case VERSION -> "version";
          case LIFESPAN -> "lifespan";
        };
    return length ? whole + ".lengthBytes" : whole;
  }
}
