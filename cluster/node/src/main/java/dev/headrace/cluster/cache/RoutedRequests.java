package dev.headrace.cluster.cache;

import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.EncodedKeys;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Reorders requests about keys, some hundreds at a time, so that those for one node follow each
 * other: few enough to keep all nodes busy, and enough that those for one node are worth a write.
 * Requests about keys of one segment keep their order. Used by one thread at a time.
 */
final class RoutedRequests implements Iterator<Request> {

  /** The most requests that are ordered together. */
  static final int MAX_REQUESTS = 1024;

  /** The bytes of requests after which no further one is ordered together with them. */
  private static final long MAX_BYTES = 1 << 20;

  private final Iterator<Request> requests;
  private final CallPort port;
  private List<Request> slice = List.of();
  private @Nullable KeyRoutes routes;
  private int next;

  /**
   * @param requests taken one by one, perhaps ahead of {@link #next}
   */
  RoutedRequests(Iterator<Request> requests, CallPort port) {
    this.requests = requests;
    this.port = port;
  }

  @Override
  public boolean hasNext() {
    return next < slice.size() || requests.hasNext();
  }

  @Override
  public Request next() {
    if (next == slice.size()) {
      route();
    }
    int place = next++;
    return slice.get(routes == null ? place : routes.order()[place]);
  }

  private void route() {
    if (!requests.hasNext()) {
      throw new NoSuchElementException("all requests were taken");
    }
    List<Request> taken = new ArrayList<>();
    long bytes = 0;
    while (requests.hasNext() && taken.size() < MAX_REQUESTS && bytes < MAX_BYTES) {
      Request request = requests.next();
      byte[] value = request.value();
      bytes += request.key().length + (value == null ? 0L : value.length);
      taken.add(request);
    }
    slice = taken;
    next = 0;
    routes = port.writeRoutes(keys(taken));
  }

  private static EncodedKeys keys(List<Request> requests) {
    int[] ends = new int[requests.size()];
    int size = 0;
    for (int i = 0; i < ends.length; i++) {
      size += requests.get(i).key().length;
      ends[i] = size;
    }
    byte[] bytes = new byte[size];
    for (int i = 0; i < ends.length; i++) {
      byte[] key = requests.get(i).key();
      System.arraycopy(key, 0, bytes, ends[i] - key.length, key.length);
    }
    return new EncodedKeys(bytes, ends);
  }
}
