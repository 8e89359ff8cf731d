package dev.headrace.cluster.wire.connection;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Listens, and accepts connections whose sockets any thread may write to. */
final class DirectServerChannel extends NioServerSocketChannel {

  /** The socket below a channel that was accepted here. */
  static SocketChannel socket(Channel accepted) {
    return ((Accepted) accepted).javaChannel();
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws IOException {
    SocketChannel socket = javaChannel().accept();
    if (socket == null) {
      return 0;
    }
    accepted.add(new Accepted(this, socket));
    return 1;
  }

  private static final class Accepted extends NioSocketChannel {
    Accepted(Channel listening, SocketChannel socket) {
      super(listening, socket);
    }

    @Override
    protected SocketChannel javaChannel() {
      return super.javaChannel();
    }
  }
}
