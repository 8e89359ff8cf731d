package dev.headrace.api.error;

/**
 * A stream or {@code Cache.process} calls a function that a node does not know by this name, or
 * knows for something else: for another method, or for keys and values of another format. Register
 * it with {@code NodeSettings.Builder.functions} on each node with a capacity; the message names
 * the node.
 */
public final class FunctionMissingException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final String function;
  private final String node;

  /**
   * An exception about a call.
   *
   * @param message what is wrong and what to do
   * @param scope the cache
   * @param function the name that was called
   * @param node the name of the node that does not know it
   */
  public FunctionMissingException(String message, FaultScope scope, String function, String node) {
    super(message, scope, null);
    this.function = function;
    this.node = node;
  }

  /** The name that was called. */
  public String function() {
    return function;
  }

  /** The name of the node that does not know it so. */
  public String node() {
    return node;
  }
}
