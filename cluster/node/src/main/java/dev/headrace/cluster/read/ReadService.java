package dev.headrace.cluster.read;

import dev.headrace.stream.batch.ReadRequest;

/** How a node answers reads, its own and those of others. */
@FunctionalInterface
public interface ReadService {

  /**
   * Answers a request, now or later, by one call of {@link ReadReply#answer} or {@link
   * ReadReply#fail}. Must not block: by default it runs on the event loop for batches. An exception
   * fails the request.
   */
  void read(ReadRequest request, ReadReply reply);
}
