package dev.headrace.cluster.cache;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.write.caller.Completion;
import dev.headrace.rebalance.write.caller.Failure;
import dev.headrace.rebalance.write.caller.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Requests that are under way together; it ends when all have ended. Thread-safe. */
final class Bulk {
  /** Requests under way at once for one bulk method. */
  static final int CHUNK_REQUESTS = 4096;

  private final AtomicReferenceArray<@Nullable OperationReply> replies;
  private final AtomicReference<@Nullable HeadraceException> failure = new AtomicReference<>();
  private final AtomicInteger missing;
  private final CompletableFuture<List<OperationReply>> result = new CompletableFuture<>();

  private Bulk(int requests) {
    replies = new AtomicReferenceArray<>(requests);
    missing = new AtomicInteger(requests);
  }

  /**
   * Starts requests, at most {@link #CHUNK_REQUESTS}.
   *
   * @return completed on an unknown thread, with the replies in the order of the requests or with
   *     the first failure after all others have ended too
   */
  static CompletableFuture<List<OperationReply>> submit(List<Request> requests, CallPort port) {
    if (requests.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    Bulk bulk = new Bulk(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      port.submit(requests.get(i), bulk.new One(i));
    }
    return bulk.result;
  }

  private void ended() {
    if (missing.decrementAndGet() > 0) {
      return;
    }
    HeadraceException first = failure.get();
    if (first != null) {
      result.completeExceptionally(first);
      return;
    }
    List<OperationReply> all = new ArrayList<>(replies.length());
    for (int i = 0; i < replies.length(); i++) {
      OperationReply reply = replies.get(i);
      if (reply != null) {
        all.add(reply);
      }
    }
    result.complete(all);
  }

  private final class One implements Completion {
    private final int index;

    One(int index) {
      this.index = index;
    }

    @Override
    public void done(OperationReply reply) {
      replies.set(index, reply);
      ended();
    }

    @Override
    public void failed(Failure why, String message) {
      failure.compareAndSet(null, Failures.of(why, message));
      ended();
    }
  }
}
