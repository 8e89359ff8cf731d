package dev.headrace.api.stream.operator;

import java.util.List;

/**
 * Names the parts of entries, for conditions that run where the data is:
 *
 * <pre>{@code
 * cache.stream().filter(field("price").gt(40).and(key().startsWith("EU-")))
 * }</pre>
 */
public final class Expressions {

  private Expressions() {}

  /**
   * A component of the value, which is a record with a built-in codec.
   *
   * @param path its name; of a component in a record within the value: {@code "customer.country"}
   */
  public static Operand field(String path) {
    return new Operand(Operand.Source.VALUE, List.of(path.split("\\.", -1)), false);
  }

  /**
   * A component of the key, which is a record with a built-in codec.
   *
   * @param path as of {@link #field}
   */
  public static Operand keyField(String path) {
    return new Operand(Operand.Source.KEY, List.of(path.split("\\.", -1)), false);
  }

  /** The value, if it is no record. */
  public static Operand value() {
    return new Operand(Operand.Source.VALUE, List.of(), false);
  }

  /** The key, if it is no record. */
  public static Operand key() {
    return new Operand(Operand.Source.KEY, List.of(), false);
  }

  /**
   * The entry's version. It grows with every write of the entry; entries of different keys may have
   * equal ones, and their order says little.
   */
  public static Operand version() {
    return new Operand(Operand.Source.VERSION, List.of(), false);
  }

  /** What is left until the entry expires, null if it does not. */
  public static Operand lifespan() {
    return new Operand(Operand.Source.LIFESPAN, List.of(), false);
  }

  /** All of these; true if there are none. */
  public static EntryCondition all(EntryCondition... conditions) {
    return new EntryCondition.All(List.of(conditions));
  }

  /** Any of these; false if there are none. */
  public static EntryCondition any(EntryCondition... conditions) {
    return new EntryCondition.Any(List.of(conditions));
  }

  /** Not this. */
  public static EntryCondition not(EntryCondition condition) {
    return condition.not();
  }
}
