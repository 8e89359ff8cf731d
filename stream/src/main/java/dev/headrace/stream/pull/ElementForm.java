package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamSignal;
import dev.headrace.api.stream.TokenedElement;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a subscriber gets for a decoded entry, key or value, and for the end of a segment.
 *
 * @param <T> what it gets
 */
public interface ElementForm<T> {

  /**
   * Makes an element.
   *
   * @param decoded what was decoded of the entry
   * @param behind tells the place behind the entry; only before the next one
   */
  T of(Object decoded, Supplier<Place> behind);

  /** What the subscriber gets when a segment was handed over to its end; null for nothing. */
  default @Nullable T completed(int segment) {
    return null;
  }

  /** What the subscriber gets when a segment is left out; null for nothing. */
  default @Nullable T lost(int segment) {
    return null;
  }

  /** Just what was decoded. */
  @SuppressWarnings("unchecked") // The decoder makes T.
  static <T> ElementForm<T> plain() {
    return (decoded, behind) -> (T) decoded;
  }

  /** Elements of another form, each with its place. */
  static <T> ElementForm<TokenedElement<T>> tokened(ElementForm<T> form) {
    return (decoded, behind) -> new Tokened<>(form.of(decoded, behind), behind.get());
  }

  /** Elements of another form, and what becomes of segments. */
  static <T> ElementForm<StreamSignal<T>> signals(ElementForm<T> form) {
    return new ElementForm<>() {
      @Override
      public StreamSignal<T> of(Object decoded, Supplier<Place> behind) {
        return new StreamSignal.Element<>(form.of(decoded, behind));
      }

      @Override
      public StreamSignal<T> completed(int segment) {
        return new StreamSignal.SegmentCompleted<>(segment);
      }

      @Override
      public StreamSignal<T> lost(int segment) {
        return new StreamSignal.SegmentLost<>(segment);
      }
    };
  }

  /** An element with its place. */
  record Tokened<T>(T element, Place place) implements TokenedElement<T> {
    @Override
    public String token() {
      return place.encode();
    }

    @Override
    public String toString() {
      return String.valueOf(element);
    }
  }
}
