package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How frames are cut, and what room they take. */
class FrameReaderTest {
  private static final int CLAIM_BYTES = 100 << 20;

  private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Taker taker = new Taker();

  @AfterEach
  void nothingIsLeft() {
    channel.finishAndReleaseAll();
    assertThat(buffers.metric().usedDirectMemory()).isZero();
  }

  private FrameReader reader(boolean encrypted) {
    FrameReader reader =
        new FrameReader(buffers, FrameReader.HEADER_STAGING_BYTES, taker, encrypted);
    channel.pipeline().addLast(reader);
    reader.endWithChannel();
    reader.known(taker, FrameReader.STAGING_BYTES);
    return reader;
  }

  private static ByteBuf frame(byte[] body, int claimedBytes) {
    ByteBuf out = Unpooled.buffer().writeZero(Frame.HEADER_BYTES).writeBytes(body);
    Frame frame = new Frame();
    int checksum = frame.checksumOf(out, Frame.HEADER_BYTES, body.length);
    frame.writeHeader(out, 0, Frame.MESSAGE, 0, claimedBytes, checksum);
    return out;
  }

  private static byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    new Random(bytes).nextBytes(noise);
    return noise;
  }

  private void receive(FrameReader reader, boolean encrypted, ByteBuf bytes, int cut) {
    while (bytes.isReadable() && channel.isOpen()) {
      ByteBuf read = encrypted ? buffers.directBuffer(cut, cut) : reader.allocate(channel.alloc());
      bytes.readBytes(read, Math.min(cut, Math.min(bytes.readableBytes(), read.writableBytes())));
      channel.pipeline().fireChannelRead(read);
      channel.checkException();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bodiesOfAllSizesArriveWhole(boolean encrypted) {
    FrameReader reader = reader(encrypted);
    List<byte[]> sent = new ArrayList<>();
    ByteBuf bytes = Unpooled.buffer();
    for (int size : new int[] {0, 1, 500, 20_000, 300_000, 3_000_000, 7, 40_000}) {
      sent.add(noise(size));
      bytes.writeBytes(frame(noise(size), size));
    }
    receive(reader, encrypted, bytes, 10_007);
    assertThat(taker.bodies).containsExactlyElementsOf(sent);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClaimedLengthMakesNoRoom(boolean encrypted) {
    FrameReader reader = reader(encrypted);
    receive(reader, encrypted, frame(noise(100), CLAIM_BYTES), 1000);
    assertThat(channel.isOpen()).isTrue();
    assertThat(buffers.metric().usedDirectMemory()).isLessThan(1 << 20);
  }

  @Test
  void aFrameThatDoesNotGetOnEndsItsConnection() {
    FrameReader reader = reader(false);
    for (int i = 0; i < 3; i++) { // as long as something comes it may take its time
      receive(
          reader,
          false,
          i == 0 ? frame(noise(100), CLAIM_BYTES) : Unpooled.buffer(1).writeByte(1),
          1000);
      channel.advanceTimeBy(FrameReader.STALL_SECONDS, TimeUnit.SECONDS);
      channel.runScheduledPendingTasks();
      assertThat(channel.isOpen()).isTrue();
    }
    channel.advanceTimeBy(FrameReader.STALL_SECONDS, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aLargeFrameTellsThatItGetsOn() {
    FrameReader reader = reader(false);
    receive(reader, false, frame(noise(600_000), 600_000), 100_000);
    assertThat(taker.bodies).hasSize(1);
    assertThat(taker.progressed).isBetween(4, 6);
    receive(reader, false, frame(noise(100), 100), 1000);
    assertThat(taker.progressed).isLessThanOrEqualTo(6);
  }

  @Test
  void aConnectionWithoutAFrameUnderWayStaysOpen() {
    FrameReader reader = reader(false);
    receive(reader, false, frame(noise(100), 100), 1000);
    channel.advanceTimeBy(10 * FrameReader.STALL_SECONDS, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void whatIsDecryptedAndNotAcceptedWaits() {
    FrameReader reader = reader(true);
    taker.accepting = false;
    ByteBuf bytes = Unpooled.buffer();
    for (int i = 0; i < 5; i++) {
      bytes.writeBytes(frame(noise(30_000), 30_000));
    }
    receive(reader, true, bytes, 10_007);
    assertThat(taker.bodies).isEmpty();
    assertThat(channel.config().isAutoRead()).isFalse();
    taker.accepting = true;
    reader.resume();
    assertThat(taker.bodies).hasSize(5);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** As of a channel that is closed just while it gets another loop. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEndThatNettyDoesNotTellIsToldOnce(boolean before) {
    channel.pipeline().addLast(new WithoutEnd());
    if (before) {
      channel.close().syncUninterruptibly();
    }
    reader(false);
    channel.close().syncUninterruptibly();
    channel.runPendingTasks();
    assertThat(taker.ends).isOne();
  }

  @Test
  void anEndThatNettyTellsIsToldOnce() {
    reader(false);
    channel.close().syncUninterruptibly();
    channel.runPendingTasks();
    assertThat(taker.ends).isOne();
  }

  private static final class WithoutEnd extends ChannelInboundHandlerAdapter {
    @Override
    public void channelInactive(ChannelHandlerContext context) {
      // nobody behind this one hears of it
    }
  }

  private static final class Taker implements FrameHandler {
    private final List<byte[]> bodies = new ArrayList<>();
    private boolean accepting = true;
    private int progressed;
    private int ends;

    @Override
    public int bodyLimitBytes(byte type, long correlation) {
      return CLAIM_BYTES;
    }

    @Override
    public boolean accepting() {
      return accepting;
    }

    @Override
    public void frame(byte type, long correlation, ByteBuf body) {
      bodies.add(ByteBufUtil.getBytes(body));
    }

    @Override
    public void progressed() {
      progressed++;
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      ends++;
    }
  }
}
