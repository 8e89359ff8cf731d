package dev.headrace.jcache;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.NodeSettings;
import org.junit.jupiter.api.Test;

final class OwnedNodeTest {

  @Test
  void noNodeIsStartedAfterTheManagerWasClosed() {
    OwnedNode node = OwnedNode.startedWith(NodeSettings.builder().clusterName("closed").build());
    node.close();

    assertThatThrownBy(node::get)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("The cache manager was closed");
  }
}
