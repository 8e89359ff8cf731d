package dev.headrace.cluster.wire;

import dev.headrace.cluster.read.BatchBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;

/** The pool of a node's connections. Allocates buffers of local batches from it, too. */
final class WireBuffers implements BatchBuffers {
  private final PooledByteBufAllocator allocator;

  private WireBuffers(PooledByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /**
   * Has as many arenas as there are loops of a class: few threads contend for one, and an idle node
   * on two cores holds no second 8 MB.
   */
  static WireBuffers of(WireSettings.Sizes sizes) {
    return new WireBuffers(BufferPools.take(Math.max(sizes.operationLoops(), sizes.bulkLoops())));
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /** Leaves the pool to another node: this one is closed. */
  void leave() {
    BufferPools.leave(allocator);
  }

  @Override
  public Buffer allocate(int bytes) {
    ByteBuf memory = allocator.directBuffer(bytes);
    return new Pooled(memory, memory.nioBuffer(0, bytes));
  }

  @Override
  public long usedBytes() {
    return allocator.pinnedDirectMemory();
  }

  private record Pooled(ByteBuf memory, ByteBuffer bytes) implements Buffer {
    @Override
    public void run() {
      memory.release();
    }
  }
}
