package dev.headrace.cluster.node;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeProvider;
import dev.headrace.api.NodeSettings;

/** Starts nodes on JGroups and Netty; found as a service. */
public final class HeadraceNodeProvider implements NodeProvider {

  /** Called by the service loader. */
  public HeadraceNodeProvider() {}

  @Override
  public Headrace start(NodeSettings settings) {
    return HeadraceNode.start(settings);
  }
}
