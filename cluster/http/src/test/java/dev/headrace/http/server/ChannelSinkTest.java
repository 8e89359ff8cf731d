package dev.headrace.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.StreamedBody;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Turns of connections that share a loop, over channels within this process. */
final class ChannelSinkTest {
  private static final int PATIENCE_SECONDS = 60;
  private static final int PIECE_BYTES = 4 << 10;
  private static final int PIECES_OF_A_TURN = (64 << 10) / PIECE_BYTES;

  private final List<String> written = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore ended = new Semaphore(0);
  private final Semaphore taken = new Semaphore(0);
  private EventLoopGroup loops;
  private EventLoop loop;
  private Channel server;

  /** Takes all that comes. */
  private static final class Reader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }
  }

  @BeforeEach
  void start() {
    loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    loop = loops.next();
    server =
        new ServerBootstrap()
            .group(loops)
            .channel(LocalServerChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Reader());
                  }
                })
            .bind(LocalAddress.ANY)
            .syncUninterruptibly()
            .channel();
  }

  @AfterEach
  void stop() {
    assertThat(
            loops
                .shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .isTrue();
  }

  private Channel connection() {
    return new Bootstrap()
        .group(loops)
        .channel(LocalChannel.class)
        .handler(new Reader())
        .connect(server.localAddress())
        .syncUninterruptibly()
        .channel();
  }

  /** Notes when pieces were taken and bodies have ended. */
  private final class Noting implements ChannelSink.Watcher {
    @Override
    public void waiting() {}

    @Override
    public void taken(int bytes, boolean all) {
      taken.release();
    }

    @Override
    public void ended() {
      ended.release();
    }
  }

  /** Writes so many pieces, as far as there is room. */
  private final class Pieces implements StreamedBody {
    private final String name;
    private final ChannelSink sink;
    private int left;

    Pieces(String name, int count) {
      this.name = name;
      this.left = count;
      this.sink = new ChannelSink(connection(), this, new Noting());
    }

    @Override
    public void begin(BodySink begun) {
      room();
    }

    @Override
    public void room() {
      while (left > 0 && sink.hasRoom()) {
        left--;
        written.add(name);
        sink.write(new byte[PIECE_BYTES]);
      }
      if (left == 0) {
        left = -1;
        sink.end(Map.of());
      }
    }

    @Override
    public void cancelled() {}
  }

  @Test
  void twoConnectionsOfALoopAlternate() throws InterruptedException {
    int turns = 5;
    Pieces one = new Pieces("one", turns * PIECES_OF_A_TURN);
    Pieces other = new Pieces("other", turns * PIECES_OF_A_TURN);

    loop.execute(
        () -> {
          one.begin(one.sink);
          other.begin(other.sink);
        });

    assertThat(ended.tryAcquire(2, PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    List<String> expected = new ArrayList<>();
    for (int turn = 0; turn < turns; turn++) {
      expected.addAll(Collections.nCopies(PIECES_OF_A_TURN, "one"));
      expected.addAll(Collections.nCopies(PIECES_OF_A_TURN, "other"));
    }
    assertThat(written).isEqualTo(expected);
  }

  @Test
  void aBodyThatWritesOffTheLoopHasNoTurns() throws Exception {
    Pieces busy = new Pieces("busy", PIECES_OF_A_TURN);
    Pieces aside = new Pieces("aside", -1);
    Semaphore gate = new Semaphore(0);
    Semaphore standing = new Semaphore(0);
    loop.execute(
        () -> {
          busy.begin(busy.sink); // has had its turn: no room on the loop
          written.add("room " + busy.sink.hasRoom());
          standing.release();
          gate.acquireUninterruptibly(); // and the next turn has to wait
        });
    assertThat(standing.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    taken.drainPermits();
    assertThat(written.get(PIECES_OF_A_TURN)).isEqualTo("room false");
    assertThat(busy.sink.hasRoom()).as("off the loop").isTrue();
    gate.release();

    for (int i = 0; i < 4 * PIECES_OF_A_TURN; i++) {
      assertThat(aside.sink.hasRoom()).as("piece %d", i).isTrue();
      aside.sink.write(new byte[PIECE_BYTES]);
      assertThat(taken.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(loop.submit(aside.sink::hasRoom).get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .as("what was written off the loop counts for no turn")
        .isTrue();
  }

  /** Has no memory outside the heap. */
  private static final class HeapOnly extends AbstractByteBufAllocator {
    @Override
    protected ByteBuf newHeapBuffer(int capacity, int most) {
      return Unpooled.buffer(capacity, most);
    }

    @Override
    protected ByteBuf newDirectBuffer(int capacity, int most) {
      throw new OutOfMemoryError("for the test");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  @Test
  void aCopyIsWrittenAlsoWhereMemoryOutsideTheHeapIsShort() throws Exception {
    Channel connection = connection();
    connection.config().setAllocator(new HeapOnly());
    ChannelSink sink = new ChannelSink(connection, new Pieces("none", -1), new Noting());
    byte[] piece = new byte[PIECE_BYTES];
    loop.submit(() -> sink.writeCopy(piece, PIECE_BYTES)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(taken.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(loop.submit(sink::isQuiet).get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }
}
