package dev.headrace.stream.pull;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What is to be told about segments between two elements, in the form that the subscriber gets.
 * Belongs to the drain.
 */
final class Announced<T> {
  private final ElementForm<T> form;
  private final Deque<T> waiting = new ArrayDeque<>(0);

  Announced(ElementForm<T> form) {
    this.form = form;
  }

  /** A segment was handed over to its end. */
  void completed(int segment) {
    add(form.completed(segment));
  }

  /** A segment is left out. */
  void lost(int segment) {
    add(form.lost(segment));
  }

  private void add(@Nullable T announcement) {
    if (announcement != null) {
      waiting.add(announcement);
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Takes the next one; there must be one. */
  T take() {
    return waiting.remove();
  }
}
