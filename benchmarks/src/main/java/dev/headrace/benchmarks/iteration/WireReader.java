package dev.headrace.benchmarks.iteration;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.headrace.benchmarks.harness.Entries;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.openjdk.jmh.infra.Blackhole;

/** Decodes entries out of batches from several sockets in turn. For one thread. */
final class WireReader {

  private final List<SocketChannel> sockets;
  private final ByteBuffer batch = ByteBuffer.allocateDirect(WireBenchmark.BATCH_BYTES).flip();
  private final byte[] scratch = new byte[Entries.KEY_CHARS];
  private int turn;

  WireReader(List<SocketChannel> sockets) {
    this.sockets = sockets;
  }

  /** Decodes so many entries. */
  void take(int entries, Blackhole blackhole) throws IOException {
    for (int i = 0; i < entries; i++) {
      if (!batch.hasRemaining()) {
        receive(sockets.get(turn++ % sockets.size()));
      }
      int keyBytes = batch.getInt();
      byte[] value = new byte[batch.getInt()];
      batch.get(scratch, 0, keyBytes).get(value);
      blackhole.consume(new String(scratch, 0, keyBytes, ISO_8859_1));
      blackhole.consume(value);
    }
  }

  private void receive(SocketChannel socket) throws IOException {
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
