package dev.headrace.cluster.read;

import dev.headrace.stream.batch.ReadRequest;

/** Answers a node's reads, its own and those of other nodes. */
@FunctionalInterface
public interface ReadService {

  /**
   * Answers a request, now or later, by one call of {@link ReadReply#answer} or {@link
   * ReadReply#fail}. Must not block: by default it runs on the event loop for batches. An exception
   * fails the request.
   */
  void read(ReadRequest request, ReadReply reply);
}
