package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WarmUp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * The most that any cache could deliver over this machine's loopback interface: a bare loop.
 *
 * <p>Four threads copy entries out of pages in random order into batches and write each batch to a
 * socket of its own; the consumer reads the batches and decodes a {@code String} key and a {@code
 * byte[]} value per entry. There are no requests, no cursors, no credit and no ownership. Several
 * consumers, one, two or four, share the sockets evenly, each decoding on its own thread.
 *
 * <p>One operation takes as many entries as a walk has.
 */
@State(Scope.Benchmark)
@Threads(4)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class WireBenchmark extends ForkedBenchmark {

  static final int BATCH_BYTES = 256 << 10;

  private static final int SOCKETS = 4;

  /** Length of each value. */
  @Param({"10", "100", "1000"})
  int valueBytes;

  /** Number of entries. */
  @Param({"50000", "250000"})
  int entries;

  private final List<Thread> servers = new ArrayList<>();
  private final List<SocketChannel> clients = new ArrayList<>();

  /** Connects the sockets, starts to send, and warms up. */
  @Setup(Level.Trial)
  public void start(Blackhole blackhole) throws IOException {
    EntryPages pages = new EntryPages(new Entries(entries, valueBytes));
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (int i = 0; i < SOCKETS; i++) {
        clients.add(SocketChannel.open(listener.getLocalAddress()));
        SocketChannel accepted = listener.accept();
        accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
        int[] order = pages.shuffled(i, SOCKETS);
        Thread server = new Thread(() -> serve(pages, order, accepted), "server-" + i);
        servers.add(server);
        server.start();
      }
    }
    WireReader all = new WireReader(clients);
    WarmUp.untilCompiled(() -> take(all, blackhole));
  }

  private void take(WireReader reader, Blackhole blackhole) {
    try {
      reader.take(entries, blackhole);
    } catch (IOException e) {
      throw new UncheckedIOException("The bare loop has ended", e);
    }
  }

  /** Hangs up. */
  @TearDown(Level.Trial)
  public void stop() throws IOException, InterruptedException {
    for (SocketChannel client : clients) {
      client.close();
    }
    for (Thread server : servers) {
      server.join();
    }
  }

  /** Sends the entries in the given order, over and over, until the consumer hangs up. */
  private static void serve(EntryPages pages, int[] order, SocketChannel socket) {
    ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
    try (socket) {
      int next = 0;
      while (true) {
        batch.clear().position(Integer.BYTES);
        next = pages.copy(order, next, batch);
        batch.flip();
        batch.putInt(0, batch.limit() - Integer.BYTES);
        while (batch.hasRemaining()) {
          socket.write(batch);
        }
      }
    } catch (IOException e) {
      // The consumer closed its end: the measurement is over.
      batch.clear();
    }
  }

  /** The sockets of one measuring thread. */
  @State(Scope.Thread)
  public static class Share {

    private WireReader reader;

    /** Takes every so many-th socket. */
    @Setup(Level.Trial)
    public void take(WireBenchmark wire, ThreadParams thread) {
      if (SOCKETS % thread.getThreadCount() != 0) {
        throw new IllegalArgumentException("There are 4 sockets: use -t 1, 2 or 4");
      }
      List<SocketChannel> mine = new ArrayList<>();
      for (int i = thread.getThreadIndex(); i < SOCKETS; i += thread.getThreadCount()) {
        mine.add(wire.clients.get(i));
      }
      reader = new WireReader(mine);
    }
  }

  /** Takes entries and decodes them into the black hole. */
  @Benchmark
  public void receive(Share share, Blackhole blackhole) throws IOException {
    share.reader.take(entries, blackhole);
  }
}
