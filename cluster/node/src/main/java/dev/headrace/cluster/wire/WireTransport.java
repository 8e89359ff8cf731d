package dev.headrace.cluster.wire;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.read.BatchBuffers;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.cluster.wire.connection.ConnectionAcceptor;
import dev.headrace.cluster.wire.connection.ConnectionClass;
import dev.headrace.cluster.wire.connection.FrameHandler;
import dev.headrace.cluster.wire.connection.FrameReader;
import dev.headrace.cluster.wire.connection.Handshake;
import dev.headrace.cluster.wire.connection.Loops;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's way to all other nodes: sends messages, asks for batches, and serves what others ask.
 *
 * <p>Connections are opened on demand to where {@code members} says that a node listens. Messages
 * to one node arrive in order; they may be lost, but only together with a connection, which both
 * nodes' {@link WireListener#onDisconnected} announces. Thread-safe; no method blocks except {@link
 * #start}, {@link #close} and {@link #kill}, which its own threads must not call.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
public final class WireTransport implements Transport, ReadPort, AutoCloseable {

  private static final int PAGE_BYTES = 8 << 10;

  /** The pool grows by 8 kB << 10 = 8 MB; larger buffers are made for one use. */
  private static final int MAX_ORDER = 10;

  /** One pool: its few threads seldom meet in it, and a node at rest holds no second 8 MB. */
  private static final int ARENAS = 1;

  private static final int SMALL_CACHE = 64;
  private static final int NORMAL_CACHE = 8;

  /** How long an orderly end waits for what was sent before, and for answers. */
  private static final long CLOSE_SECONDS = 3;

  /** A node that is not a member counts as disconnected so long after something was sent to it. */
  private static final long STRANGER_DELAY_NANOS = 10_000_000L;

  private static final Logger log = LoggerFactory.getLogger(WireTransport.class);

  private final WireSettings settings;
  private final Wire wire;
  private final WireListener listener;
  private final ReadService service;
  private final ConnectionAcceptor acceptor;
  private final WireBuffers buffers;
  private final Map<NodeId, Peer> peers = new ConcurrentHashMap<>();
  private final AtomicBoolean ending = new AtomicBoolean();
  private volatile boolean closed;
  private int port; // written once, before the transport is handed out

  private WireTransport(
      WireSettings settings,
      Function<NodeId, @Nullable Member> members,
      WireListener listener,
      ReadService service) {
    PooledByteBufAllocator allocator =
        new PooledByteBufAllocator(
            true, 0, ARENAS, PAGE_BYTES, MAX_ORDER, SMALL_CACHE, NORMAL_CACHE, false);
    this.buffers = new WireBuffers(allocator);
    this.settings = settings;
    this.wire =
        Wire.of(
            settings.clusterName(),
            settings.self(),
            loops(settings),
            allocator,
            members,
            settings.security());
    this.listener = new Quiet(listener);
    this.service = service;
    this.acceptor =
        new ConnectionAcceptor(wire, this::receiver, ConnectionAcceptor.MAX_CONNECTIONS);
  }

  private static Loops loops(WireSettings settings) {
    WireSettings.Sizes sizes = settings.sizes();
    return new Loops(
        sizes.operationLoops(),
        sizes.bulkLoops(),
        sizes.busyPollNanos(),
        "headrace-" + settings.self().toString().substring(0, 8));
  }

  /**
   * Starts listening.
   *
   * @param members where other nodes listen, null for a node that is not a member; asked by any
   *     thread
   * @param listener whom to tell what arrives
   * @param service how reads of other nodes are answered
   * @throws dev.headrace.api.error.HeadraceException if the port is taken
   */
  public static WireTransport start(
      WireSettings settings,
      Function<NodeId, @Nullable Member> members,
      WireListener listener,
      ReadService service) {
    WireTransport transport = new WireTransport(settings, members, listener, service);
    try {
      transport.port = transport.acceptor.listen(settings.bindAddress(), settings.port()).getPort();
      return transport;
    } catch (RuntimeException e) {
      transport.wire.loops().shutDown();
      throw e;
    }
  }

  /** The TCP port that it listens on. */
  public int port() {
    return port;
  }

  /** Sends a message. It is lost if the node is not a member, or with its connection. */
  @Override
  public void send(NodeId to, Message message) {
    Peer peer = peer(to);
    if (peer != null) {
      peer.send(message);
    } else if (!closed) {
      announceStranger(to);
    }
  }

  @Override
  public void send(NodeId to, List<? extends Message> messages) {
    Peer peer = peer(to);
    if (peer != null) {
      peer.send(messages);
    } else if (!closed) {
      announceStranger(to);
    }
  }

  /** Later, as if a connection had been tried: a listener may send again at once. */
  private void announceStranger(NodeId node) {
    try {
      wire.loops()
          .later(
              STRANGER_DELAY_NANOS,
              () -> settings.handOver().operations().execute(() -> listener.onDisconnected(node)));
    } catch (RejectedExecutionException e) {
      log.debug("The wire is closed; nothing more is said about {}", node, e);
    }
  }

  /**
   * Whether so much waits to be sent to a node that what can wait elsewhere, such as an answer that
   * could be given again, should.
   */
  public boolean congested(NodeId node) {
    Peer peer = peers.get(node);
    return peer != null && peer.congested();
  }

  /** Asks another node. */
  @Override
  public void read(NodeId node, ReadRequest request, ReadHandler handler) {
    Peer peer = peer(node);
    if (peer == null) {
      handler.failed(
          closed
              ? closedException()
              : new UnavailableException("node " + node + " is not a member"));
    } else {
      peer.read(new PendingRemoteRead(request, handler));
    }
  }

  /**
   * Closes the connections to and of a node that has left the cluster: its pending reads fail now.
   * A later send or read opens them again, should it be a member once more.
   */
  public void forget(NodeId node) {
    acceptor.forget(node);
    Peer peer = peers.remove(node);
    if (peer != null) {
      var unused =
          peer.close(false, new UnavailableException("node " + node + " has left the cluster"));
    }
  }

  /**
   * Opens a connection to where a node listens, and closes it again.
   *
   * @param refused is run by an event loop if the connection was refused; not if there was no
   *     answer in time
   */
  public void knock(Member node, Runnable refused) {
    try {
      wire.loops().knock(node.host(), node.dataPort(), refused);
    } catch (IOException | RejectedExecutionException e) {
      log.debug("{} was not tried", node, e);
    }
  }

  /** How many other nodes it has connections to, or opens some; for tests and metrics. */
  int peers() {
    return peers.size();
  }

  /** How many connections are open, in either direction; for tests and metrics. */
  int openConnections() {
    return wire.openChannels().size();
  }

  /** Buffers from the pool of its connections. */
  public BatchBuffers buffers() {
    return buffers;
  }

  /** Closes all connections in order: what was sent before is written out. */
  @Override
  public void close() {
    end(true);
  }

  /** Closes all sockets at once, as if the process had died, and drops what was not sent. */
  public void kill() {
    end(false);
  }

  private void end(boolean orderly) {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    closed = true;
    if (!orderly) {
      for (Channel channel : wire.openChannels()) {
        reset(channel);
      }
    }
    acceptor.close();
    List<CompletableFuture<?>> ends = new ArrayList<>();
    for (Peer peer : peers.values()) {
      ends.add(peer.close(orderly, closedException()));
    }
    if (orderly) {
      awaitAll(ends);
      awaitAll(flushed());
    }
    for (Channel channel : new ArrayList<>(wire.openChannels())) {
      channel.close().awaitUninterruptibly();
    }
    wire.loops().shutDown();
  }

  /** What was answered to others, and waits in their connections, is written. */
  private List<CompletableFuture<?>> flushed() {
    List<CompletableFuture<?>> flushes = new ArrayList<>();
    for (Channel channel : wire.openChannels()) {
      CompletableFuture<Boolean> flush = new CompletableFuture<>();
      channel
          .writeAndFlush(Unpooled.EMPTY_BUFFER)
          .addListener(done -> flush.complete(done.isSuccess()));
      flushes.add(flush);
    }
    return flushes;
  }

  private void awaitAll(List<CompletableFuture<?>> ends) {
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      log.warn(
          "Not everything was sent within {} s when the node closed; the rest is dropped",
          CLOSE_SECONDS);
    } catch (ExecutionException e) {
      log.warn("Not everything was sent when the node closed; the rest is dropped", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reset(Channel channel) {
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      log.debug("{} is closed already", channel, e);
    }
    channel.close();
  }

  /** The connections to a node; null if it is not a member, or this node is closed. */
  private @Nullable Peer peer(NodeId node) {
    if (closed) {
      return null;
    }
    Peer peer = peers.get(node);
    if (peer == null && wire.members().apply(node) != null) {
      peer = peers.computeIfAbsent(node, id -> new Peer(wire, settings, id, listener));
      if (closed) {
        var unused = peer.close(false, closedException());
      }
    }
    return peer;
  }

  private FrameHandler receiver(Handshake handshake, Channel channel, FrameReader reader) {
    return handshake.connectionClass() == ConnectionClass.BULK
        ? new ReadServer(wire, settings, service, channel, reader)
        : new MessageReceiver(handshake.caller(), settings, listener);
  }

  private static NodeClosedException closedException() {
    return new NodeClosedException("the node is closed");
  }

  /** Survives a listener that throws, and says nothing any more once the transport is closed. */
  private final class Quiet implements WireListener {
    private final WireListener to;

    Quiet(WireListener to) {
      this.to = to;
    }

    @Override
    public void onMessage(NodeId from, Message message) {
      if (!closed) {
        try {
          to.onMessage(from, message);
        } catch (RuntimeException | Error e) {
          log.error("A message of node {} could not be handled: {}", from, message, e);
        }
      }
    }

    @Override
    public void onProgress(NodeId from) {
      if (!closed) {
        to.onProgress(from);
      }
    }

    @Override
    public void onHungUp(NodeId node) {
      if (!closed) {
        to.onHungUp(node);
      }
    }

    @Override
    public void onDisconnected(NodeId node) {
      if (!closed) {
        try {
          to.onDisconnected(node);
        } catch (RuntimeException | Error e) {
          log.error("The loss of the connection to node {} could not be handled", node, e);
        }
      }
    }
  }
}
