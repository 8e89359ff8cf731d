package dev.headrace.api.stream.operator;

import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What a reduction knows of a number in many entries.
 *
 * @param entries how many entries there are
 * @param numbers in how many of them the number is not null
 * @param sum of whole numbers exact: a {@link Long}, or a {@link java.math.BigInteger} if it does
 *     not fit; of floating-point ones a {@link Double} in which rounding errors are made up for
 * @param least the least number, a {@link Long} or {@link Double}; null if there are none
 * @param greatest the greatest one; null if there are none
 */
public record FieldSummary(
    long entries, long numbers, Number sum, @Nullable Number least, @Nullable Number greatest) {

  /** The least number, if there is any. */
  public Optional<Number> min() {
    return Optional.ofNullable(least);
  }

  /** The greatest number, if there is any. */
  public Optional<Number> max() {
    return Optional.ofNullable(greatest);
  }

  /** The mean of the numbers, if there are any. */
  public OptionalDouble average() {
    return numbers == 0 ? OptionalDouble.empty() : OptionalDouble.of(sum.doubleValue() / numbers);
  }
}
