package dev.headrace.benchmarks.iteration;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Meter;
import dev.headrace.benchmarks.harness.Throughput;
import dev.headrace.benchmarks.harness.Worker;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The most that any cache could deliver over this machine's loopback interface: a bare loop.
 *
 * <p>Four threads copy entries out of pages in random order into batches and write each batch to a
 * socket of its own; the consumer reads the batches and decodes a {@code String} key and a {@code
 * byte[]} value per entry. There are no requests, no cursors, no credit and no ownership. Several
 * consumers share the four sockets evenly, each decoding on its own thread.
 *
 * <p>The main class of a fork; its command is {@code limit} with {@code entries}, {@code bytes},
 * {@code threads} (1, 2 or 4) and a schedule.
 */
public final class WireLimit {

  private static final int SOCKETS = 4;
  private static final int BATCH_BYTES = 256 << 10;

  private WireLimit() {}

  /** Serves commands until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    Worker.serve(Map.of("limit", WireLimit::limit));
    System.exit(0);
  }

  private static HarnessMessage limit(HarnessMessage message)
      throws IOException, InterruptedException {
    EntryPages pages =
        new EntryPages(new Entries(message.whole("entries"), message.whole("bytes")));
    int threads = message.whole("threads");
    List<Thread> servers = new ArrayList<>();
    List<SocketChannel> clients = new ArrayList<>();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (int i = 0; i < SOCKETS; i++) {
        SocketChannel client = SocketChannel.open(listener.getLocalAddress());
        clients.add(client);
        SocketChannel accepted = listener.accept();
        accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
        int[] order = pages.shuffled(i, SOCKETS);
        Thread server = new Thread(() -> serve(pages, order, accepted), "server-" + i);
        servers.add(server);
        server.start();
      }
      AtomicInteger next = new AtomicInteger();
      double[] rates =
          Throughput.measure(
              threads,
              Throughput.Schedule.of(message),
              meter -> consume(share(clients, next.getAndIncrement(), threads), meter));
      return HarnessMessage.of("measured").with("rates", rates);
    } finally {
      for (SocketChannel client : clients) {
        client.close();
      }
      for (Thread server : servers) {
        server.join();
      }
    }
  }

  private static List<SocketChannel> share(List<SocketChannel> all, int thread, int threads) {
    List<SocketChannel> mine = new ArrayList<>();
    for (int i = thread; i < all.size(); i += threads) {
      mine.add(all.get(i));
    }
    return mine;
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

  private static void consume(List<SocketChannel> sockets, Meter meter) throws IOException {
    Blackhole blackhole =
        new Blackhole(
            "Today's password is swordfish. I understand instantiating Blackholes directly is"
                + " dangerous.");
    ByteBuffer batch = ByteBuffer.allocateDirect(BATCH_BYTES);
    byte[] scratch = new byte[Entries.KEY_CHARS];
    while (true) {
      for (SocketChannel socket : sockets) {
        receive(socket, batch);
        if (!decode(batch, scratch, blackhole, meter)) {
          return;
        }
      }
    }
  }

  private static boolean decode(
      ByteBuffer batch, byte[] scratch, Blackhole blackhole, Meter meter) {
    while (batch.hasRemaining()) {
      int keyBytes = batch.getInt();
      byte[] value = new byte[batch.getInt()];
      batch.get(scratch, 0, keyBytes).get(value);
      blackhole.consume(new String(scratch, 0, keyBytes, ISO_8859_1));
      blackhole.consume(value);
      if (!meter.count()) {
        return false;
      }
    }
    return true;
  }

  private static void receive(SocketChannel socket, ByteBuffer batch) throws IOException {
    fill(socket, batch.clear().limit(Integer.BYTES));
    int length = batch.getInt(0);
    fill(socket, batch.clear().limit(length));
    batch.flip();
  }

  private static void fill(SocketChannel socket, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (socket.read(buffer) < 0) {
        throw new EOFException("The server of the bare loop hung up");
      }
    }
  }
}
