package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.stream.NodeId;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for other nodes and gives each connection, once its handshake is right, to whom it is
 * for. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
public final class ConnectionAcceptor {
  private static final int BACKLOG = 1024;

  /**
   * Far more connections than a cluster's nodes open to one of them. Further ones are closed at
   * once.
   */
  public static final int MAX_CONNECTIONS = 1 << 15;

  /**
   * The most connections whose peers have not identified themselves, for each {@link Loops#shares
   * share}; each takes a few kB. Nodes identify themselves within a moment, so they find room
   * however many strangers stay connected.
   */
  static final int MAX_UNKNOWN = 256;

  private static final Logger log = LoggerFactory.getLogger(ConnectionAcceptor.class);

  private final Wire wire;
  private final Receivers receivers;
  private final int maxConnections;
  private final AtomicInteger connections = new AtomicInteger();

  /** The connections of each node that is served. */
  private final Map<NodeId, Set<Channel>> served = new ConcurrentHashMap<>();

  /** In the order of their arrival; guarded by itself. */
  private final Set<PendingConnection> unknown = new LinkedHashSet<>();

  private @Nullable Channel listening; // written once, before the transport is used

  /** Chooses the handler of an accepted connection's frames. */
  @FunctionalInterface
  public interface Receivers {
    /**
     * The handler of the connection with this handshake. Called on its event loop.
     *
     * @return null if the connection should wait, and be asked for again: this node is opening one
     *     that both nodes should use
     */
    @Nullable FrameHandler receiver(Handshake handshake, FrameReader reader, Offer offer);
  }

  /**
   * Does not listen yet.
   *
   * @param maxConnections the most connections that are open at the same time
   */
  public ConnectionAcceptor(Wire wire, Receivers receivers, int maxConnections) {
    this.wire = wire;
    this.receivers = receivers;
    this.maxConnections = maxConnections;
  }

  /**
   * Starts listening.
   *
   * @param port 0 for a free one
   * @return the address and port on which it listens
   * @throws HeadraceException if the port is taken, or the address is not one of this machine
   */
  public InetSocketAddress listen(String host, int port) {
    ChannelFuture binding =
        wire.loops()
            .listener()
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(host, port)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new HeadraceException(
          "Cannot listen on %s:%d for other nodes: %s"
              .formatted(host, port, reason(binding.cause())),
          binding.cause());
    }
    listening = binding.channel();
    return (InetSocketAddress) binding.channel().localAddress();
  }

  /** Tells a taken port from a foreign address: Java does so only by the system's text. */
  private static String reason(Throwable cause) {
    String problem = String.valueOf(cause.getMessage());
    if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
      return "this name has no address; set bindAddress to an address of this machine";
    }
    if (problem.contains("Cannot assign")) {
      return "this is not an address of this machine; set bindAddress to one that is";
    }
    return problem.contains("in use")
        ? "the port is taken; choose another dataPort, or 0 for a free one"
        : problem + "; check bindAddress and dataPort";
  }

  /** Closes the connections of a node that is no longer a member. */
  public void forget(NodeId node) {
    Set<Channel> left = served.remove(node);
    if (left != null) {
      left.forEach(Channel::close);
    }
  }

  /**
   * Registers a connection of a node, which is closed when the node leaves.
   *
   * @return false if the node has left before
   */
  boolean serve(NodeId node, Channel channel) {
    served.compute(
        node,
        (id, present) -> {
          Set<Channel> channels = present == null ? ConcurrentHashMap.newKeySet() : present;
          channels.add(channel);
          return channels;
        });
    channel.closeFuture().addListener(closed -> ended(node, channel));
    return wire.members().apply(node) != null;
  }

  private void ended(NodeId node, Channel channel) {
    served.computeIfPresent(
        node,
        (id, channels) -> {
          channels.remove(channel);
          return channels.isEmpty() ? null : channels;
        });
  }

  /** Stops listening, and waits until that is done. */
  public void close() {
    Channel channel = listening;
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
  }

  Receivers receivers() {
    return receivers;
  }

  private void accept(Channel channel) {
    int open = connections.incrementAndGet();
    channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    if (open > maxConnections) {
      log.warn(
          "Closed the connection of {}: {} are open already; let nothing but nodes of this cluster"
              + " connect to the data port",
          channel.remoteAddress(),
          maxConnections);
      channel.close();
      return;
    }
    wire.channels().add(channel);
    if (!channel.isOpen()) {
      return; // the node closes
    }
    PendingConnection connection =
        new PendingConnection(wire, this, channel, DirectServerChannel.number(channel));
    channel.closeFuture().addListener(closed -> known(connection));
    await(connection);
    connection.start();
  }

  /** Takes a connection of a stranger. If too many wait, the oldest is closed. */
  private void await(PendingConnection connection) {
    PendingConnection oldest = null;
    synchronized (unknown) {
      unknown.add(connection);
      if (unknown.size() > MAX_UNKNOWN * wire.loops().shares()) {
        Iterator<PendingConnection> first = unknown.iterator();
        oldest = first.next();
        first.remove();
      }
    }
    if (oldest != null) {
      oldest.makeRoom();
    }
  }

  /** The peer of a connection has identified itself. */
  void known(PendingConnection connection) {
    synchronized (unknown) {
      unknown.remove(connection);
    }
  }
}
