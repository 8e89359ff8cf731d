package dev.headrace.cluster.wire;

import dev.headrace.cluster.read.BatchBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;

/** Allocates buffers of local batches from the pool of the connections. */
final class WireBuffers implements BatchBuffers {
  private final PooledByteBufAllocator allocator;

  WireBuffers(PooledByteBufAllocator allocator) {
    this.allocator = allocator;
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
