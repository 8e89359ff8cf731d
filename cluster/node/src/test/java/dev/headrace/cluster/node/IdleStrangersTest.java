package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.cluster.membership.FreePorts;
import dev.headrace.cluster.wire.connection.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Version;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that claim the most and then say nothing, at both ports. */
@Timeout(300)
final class IdleStrangersTest {
  private static final int STRANGERS = Integer.getInteger("headrace.strangers", 1000);
  private static final long MOST_BYTES = 64L << 20;
  private static final int OPERATIONS = 2000;
  private static final int LONGEST_FRAME_BYTES = 4 << 20;

  private final List<SocketChannel> strangers = new ArrayList<>();

  @AfterEach
  void leave() throws IOException {
    for (SocketChannel stranger : strangers) {
      stranger.close();
    }
  }

  @Test
  void theyTakeLittleMemoryAndHoldUpNobody() throws Exception {
    int membershipPort = FreePorts.one();
    try (NodeCluster cluster = new NodeCluster()) {
      cluster.start(settings -> settings.membershipPort(membershipPort));
      cluster.start(settings -> settings);
      Cache<String, String> cache = cluster.node(0).cache("quotes", String.class, String.class);
      operate(cache);
      Used before = Used.now();
      for (int i = 0; i < STRANGERS; i++) {
        ByteBuf hello = Unpooled.buffer().writeZero(Frame.HEADER_BYTES);
        new Frame().writeHeader(hello, 0, Frame.HELLO, 0, 4096, 0);
        stranger(dataPort(cluster.node(0)), hello.nioBuffer());
        stranger(membershipPort, membershipClaim(i));
      }
      operate(cache);
      Used after = Used.now();
      assertThat(after.total() - before.total())
          .as("bytes for %d strangers, from %s to %s", STRANGERS, before, after)
          .isLessThan(MOST_BYTES);
      HeadraceNode third = cluster.start(settings -> settings);
      operate(third.cache("quotes", String.class, String.class));
    }
  }

  private static void operate(Cache<String, String> cache) {
    for (int i = 0; i < OPERATIONS; i++) {
      cache.put("k" + i, "v");
      assertThat(cache.get("k" + i)).isEqualTo("v");
    }
  }

  private void stranger(int port, ByteBuffer words) throws IOException {
    SocketChannel channel =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    strangers.add(channel);
    while (words.hasRemaining()) {
      channel.write(words);
    }
  }

  /** The greeting of JGroups, then the length of the longest frame. */
  private static ByteBuffer membershipClaim(int number) {
    return ByteBuffer.allocate(19)
        .put("bela".getBytes(StandardCharsets.US_ASCII))
        .putShort(Version.version)
        .putShort((short) 7)
        .put((byte) 4)
        .put(InetAddress.getLoopbackAddress().getAddress())
        .putShort((short) (1024 + number))
        .putInt(LONGEST_FRAME_BYTES)
        .flip();
  }

  private static int dataPort(HeadraceNode node) {
    String address =
        node.status().members().stream()
            .filter(member -> member.self())
            .map(member -> member.address())
            .findFirst()
            .orElseThrow();
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** Bytes in use after a collection: on the heap, of direct buffers, and of Netty's own. */
  private record Used(long heap, long direct, long netty) {
    static Used now() {
      System.gc();
      return new Used(
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
          ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
              .mapToLong(BufferPoolMXBean::getMemoryUsed)
              .sum(),
          Math.max(0, PlatformDependent.usedDirectMemory()));
    }

    long total() {
      return heap + direct + netty;
    }
  }
}
