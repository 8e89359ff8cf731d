package dev.headrace.stream.operator;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A value with a component of each kind. */
@SuppressWarnings("ArrayRecordComponent") // Never compared as a whole.
public record Order(
    int quantity,
    @Nullable Long number,
    @Nullable Double price,
    @Nullable String symbol,
    @Nullable Customer customer,
    @Nullable Instant at,
    boolean open,
    float weight,
    short shelf,
    @Nullable Byte grade,
    char mark,
    @Nullable UUID id,
    byte @Nullable [] note,
    @Nullable Side side) {

  /** A record within the record. */
  public record Customer(@Nullable String country, @Nullable Integer age, Address address) {}

  /** A record within that. */
  public record Address(String city, @Nullable Long code) {}

  /** Constants. */
  public enum Side {
    BUY,
    SELL,
    NEITHER
  }
}
