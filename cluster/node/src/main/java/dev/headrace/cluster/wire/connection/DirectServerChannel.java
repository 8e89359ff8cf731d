package dev.headrace.cluster.wire.connection;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens, and accepts connections whose sockets any thread may write to. */
class DirectServerChannel extends NioServerSocketChannel {

  private static final Logger log = LoggerFactory.getLogger(DirectServerChannel.class);

  private long number; // of the last one; belongs to the event loop

  /** The socket below a channel that was accepted here. */
  static SocketChannel socket(Channel accepted) {
    return ((Accepted) accepted).javaChannel();
  }

  /** The number of a channel that was accepted here, in the order in which they were. */
  static long number(Channel accepted) {
    return ((Accepted) accepted).number;
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws IOException {
    SocketChannel socket = null;
    try {
      socket = javaChannel().accept();
      if (socket == null) {
        return 0;
      }
      accepted.add(newChannel(socket, ++number));
      return 1;
    } catch (RuntimeException | Error e) { // thrown on, it would end the listening channel
      log.error("A connection of {} could not be accepted", socket, e);
      if (socket != null) {
        socket.close();
      }
      return 0;
    }
  }

  /** Makes the channel of an accepted connection. */
  NioSocketChannel newChannel(SocketChannel socket, long order) {
    return new Accepted(this, socket, order);
  }

  private static final class Accepted extends NioSocketChannel {
    private final long number;

    Accepted(Channel listening, SocketChannel socket, long number) {
      super(listening, socket);
      this.number = number;
    }

    @Override
    protected SocketChannel javaChannel() {
      return super.javaChannel();
    }
  }
}
