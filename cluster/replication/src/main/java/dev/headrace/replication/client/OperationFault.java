package dev.headrace.replication.client;

import dev.headrace.api.error.FaultScope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why an operation has no result, and what it was about.
 *
 * @param message for people: the cause, the segment, the epoch and what to do
 * @param scope for programs: the cache, the segment and the nodes that are missing
 * @param fullNode the name of the owner without room, if that is why; else null
 */
public record OperationFault(
    Failure failure, String message, FaultScope scope, @Nullable String fullNode) {
  /** A fault for which no full node is the reason. */
  public OperationFault(Failure failure, String message, FaultScope scope) {
    this(failure, message, scope, null);
  }

  /** A fault of the request's cache as a whole. */
  public static OperationFault of(Failure failure, String message, Request request) {
    return new OperationFault(failure, message, FaultScope.ofCache(request.cache()));
  }

  /** The same, with nodes that are missing. */
  public OperationFault missing(List<String> nodes) {
    return new OperationFault(failure, message, scope.withMissing(nodes), fullNode);
  }
}
