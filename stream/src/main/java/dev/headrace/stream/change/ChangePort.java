package dev.headrace.stream.change;

import dev.headrace.stream.NodeId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks nodes for changes. A port, which the cluster implements. */
@FunctionalInterface
public interface ChangePort {

  /**
   * Asks a node, perhaps this one. Does not block.
   *
   * @param handler gets the answer, once, on any thread and perhaps before this returns; null if
   *     none comes. It must be short
   */
  void ask(NodeId node, ChangeQuery query, Consumer<@Nullable ChangeAnswer> handler);
}
