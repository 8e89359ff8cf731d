package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BufferPoolsTest {
  /** Arenas by which no transport's pool is taken for one of these. */
  private static final int ARENAS = 5;

  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();

  @Test
  void aClosedNodeLeavesItsPoolToTheNext() {
    PooledByteBufAllocator pool = BufferPools.take(ARENAS);
    assertThat(BufferPools.take(ARENAS)).as("while it is open").isNotSameAs(pool);
    BufferPools.leave(pool);
    assertThat(BufferPools.take(ARENAS + 1)).as("with more arenas").isNotSameAs(pool);
    assertThat(BufferPools.take(ARENAS)).isSameAs(pool);
    assertThat(BufferPools.take(ARENAS)).as("taken again").isNotSameAs(pool);
  }

  @Test
  void aPoolWaitsForTheLastOfItsBuffers() {
    PooledByteBufAllocator pool = BufferPools.take(ARENAS);
    ByteBuf late = pool.directBuffer(100);
    BufferPools.leave(pool);
    assertThat(BufferPools.take(ARENAS)).isNotSameAs(pool);
    late.release();
    assertThat(BufferPools.take(ARENAS)).isSameAs(pool);
  }

  @Test
  void nodesThatComeAndGoNeedNoMorePoolsThanAreOpenTogether() throws Exception {
    Set<Object> pools = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int round = 0; round < 20; round++) {
      try (TestNode a = neighbours.start(1);
          TestNode b = neighbours.start(2)) {
        pools.add(((WireBuffers) a.transport.buffers()).allocator());
        pools.add(((WireBuffers) b.transport.buffers()).allocator());
        a.transport.send(b.id, message(round));
        assertThat(b.nextMessage()).isEqualTo(message(round));
        b.transport.send(a.id, message(round));
        assertThat(a.nextMessage()).isEqualTo(message(round));
      }
    }
    assertThat(pools).hasSizeLessThanOrEqualTo(2);
  }
}
