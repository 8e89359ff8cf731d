package dev.headrace.cluster.cache;

import dev.headrace.api.stream.CloseableIterator;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An iterator that can also remove the element that it returned last.
 *
 * @param <S> the streamed elements
 * @param <E> the returned elements
 */
final class RemovingIterator<S, E> implements Iterator<E> {
  private final CloseableIterator<S> all;
  private final Function<S, E> view;
  private final Consumer<E> remove;
  private @Nullable E last;

  RemovingIterator(CloseableIterator<S> all, Function<S, E> view, Consumer<E> remove) {
    this.all = all;
    this.view = view;
    this.remove = remove;
  }

  @Override
  public boolean hasNext() {
    return all.hasNext();
  }

  @Override
  public E next() {
    E next = view.apply(all.next());
    last = next;
    return next;
  }

  @Override
  public void remove() {
    E removed = last;
    if (removed == null) {
      throw new IllegalStateException("remove() needs a call of next() before it");
    }
    last = null;
    remove.accept(removed);
  }
}
