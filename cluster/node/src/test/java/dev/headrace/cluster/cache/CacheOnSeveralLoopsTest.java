package dev.headrace.cluster.cache;

import dev.headrace.api.NodeSettings;

/** The same cache on nodes with several event loops of each kind. */
class CacheOnSeveralLoopsTest extends CacheTest {
  @Override
  NodeSettings.Builder changed(NodeSettings.Builder settings) {
    return settings.operationLoops(4).bulkLoops(4);
  }
}
