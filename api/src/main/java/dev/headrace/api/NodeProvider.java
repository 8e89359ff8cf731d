package dev.headrace.api;

import dev.headrace.api.error.HeadraceException;
import java.util.ServiceLoader;

/** Starts nodes; the service that {@link Headrace#start(NodeSettings)} looks for. */
public interface NodeProvider {

  /**
   * Starts a node and waits until it may be used.
   *
   * @return the node, to be closed
   * @see Headrace#start(NodeSettings)
   */
  Headrace start(NodeSettings settings);

  /**
   * Finds the provider on the class path or module path.
   *
   * @return the first that is found
   * @throws HeadraceException if there is none
   */
  static NodeProvider load() {
    return ServiceLoader.load(NodeProvider.class, NodeProvider.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new HeadraceException(
                    "No Headrace node implementation found: add dev.headrace:headrace-cluster to"
                        + " the class path"));
  }
}
