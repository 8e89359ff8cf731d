package dev.headrace.api.stream;

import java.util.Iterator;

/**
 * An iterator that holds something until it is closed. Close it, best with {@code
 * try}-with-resources: what one that was not read to its end holds, others wait for. Its own
 * documentation says which threads may call it.
 */
public interface CloseableIterator<E> extends Iterator<E>, AutoCloseable {

  /** Releases what the iterator holds. A second call does nothing. */
  @Override
  void close();
}
