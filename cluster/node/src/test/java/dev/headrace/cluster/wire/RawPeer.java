package dev.headrace.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.security.PortSecurity.Mode;
import dev.headrace.cluster.wire.codec.MessageCodec;
import dev.headrace.cluster.wire.connection.Frame;
import dev.headrace.cluster.wire.connection.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Speaks with a node byte by byte. */
final class RawPeer {
  private static final int PATIENCE_MILLIS = 60_000;

  private RawPeer() {}

  static Socket connect(TestNode to) throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to.transport.port()));
    return socket;
  }

  /** Sends a handshake, and expects to be welcome. */
  static void greet(Socket socket, Handshake hello) throws IOException {
    send(socket, helloFrame(hello));
    assertThat(read(socket, Frame.HEADER_BYTES).getByte(5)).isEqualTo(Frame.WELCOME);
  }

  static void send(Socket socket, ByteBuf bytes) throws IOException {
    bytes.getBytes(bytes.readerIndex(), socket.getOutputStream(), bytes.readableBytes());
  }

  static ByteBuf read(Socket socket, int bytes) throws IOException {
    return Unpooled.wrappedBuffer(socket.getInputStream().readNBytes(bytes));
  }

  static ByteBuf helloFrame(Handshake hello) {
    ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES);
    hello.encode(Mode.NONE, frame);
    new Frame().write(frame, 0, Frame.HELLO, 0);
    return frame;
  }

  /**
   * A frame with {@link TestNode#message message(9)}.
   *
   * @param number its place on the connection
   */
  static ByteBuf messageFrame(long number) {
    ByteBuf frame = Unpooled.buffer(64).writeZero(Frame.HEADER_BYTES);
    new MessageCodec().encode(TestNode.message(9), frame);
    new Frame().write(frame, 0, Frame.MESSAGE, number);
    return frame;
  }
}
