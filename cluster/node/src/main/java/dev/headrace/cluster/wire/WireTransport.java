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
import dev.headrace.cluster.wire.connection.Link;
import dev.headrace.cluster.wire.connection.Loops;
import dev.headrace.cluster.wire.connection.Offer;
import dev.headrace.cluster.wire.connection.Wire;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * Connects a node to all other nodes: sends messages, requests batches, and serves the requests of
 * others.
 *
 * <p>It opens connections on demand, to the address that {@code members} has of a node. Messages of
 * one {@link Message#share} to one node arrive in order. A message is lost only together with its
 * connection, which {@link WireListener#onDisconnected} announces on both nodes. Thread-safe; no
 * method blocks except {@link #start}, {@link #close} and {@link #kill}, which its own threads must
 * not call.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails on a channel closes it, and is told.
public final class WireTransport implements Transport, ReadPort, AutoCloseable {

  /** How long {@link #close} waits for earlier messages and for answers. */
  private static final long CLOSE_SECONDS = 3;

  /** How long after a message to a node that is not a member its disconnection is announced. */
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

  /** Nodes that are no members, to which something was sent, until that is announced as lost. */
  private final Set<NodeId> strangers = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;
  private int port; // written once, before start() returns the transport

  private WireTransport(
      WireSettings settings,
      Function<NodeId, @Nullable Member> members,
      WireListener listener,
      ReadService service) {
    this.buffers = WireBuffers.of(settings.sizes());
    this.settings = settings;
    this.wire =
        Wire.of(
            settings.clusterName(),
            settings.self(),
            loops(settings),
            buffers.allocator(),
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
   * @param members finds where a node listens, null for a node that is not a member; called by any
   *     thread
   * @param listener receives what arrives
   * @param service answers the reads of other nodes
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
      transport.release();
      throw e;
    }
  }

  /** The TCP port on which it listens. */
  public int port() {
    return port;
  }

  /** Sends a message. It is lost if the node is not a member, or if its connection is lost. */
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

  /**
   * Announces the loss after a delay, like a failed attempt to connect: the listener may send again
   * at once.
   */
  private void announceStranger(NodeId node) {
    if (!strangers.add(node)) {
      return; // its disconnection is announced in a moment
    }
    try {
      wire.loops()
          .later(
              STRANGER_DELAY_NANOS,
              () -> {
                strangers.remove(node); // first: what is sent from now on is announced again
                settings.handOver().operations().execute(() -> listener.onDisconnected(node));
              });
    } catch (RejectedExecutionException e) {
      log.debug("The wire is closed; the loss of messages to {} is not announced", node, e);
    }
  }

  /**
   * Whether so much waits to be sent to a node that a sender should hold back what is not urgent,
   * such as an answer that can be given again.
   */
  public boolean congested(NodeId node) {
    Peer peer = peers.get(node);
    return peer != null && peer.congested();
  }

  /** Sends a read request to another node. */
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
   * Closes the connections to and from a node that has left the cluster, and fails its pending
   * reads. If the node becomes a member again, the next message or read opens a new connection.
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
   * Opens a connection to a node's data port, and closes it again.
   *
   * @param refused run by an event loop if the connection was refused; not if no answer came in
   *     time
   */
  public void knock(Member node, Runnable refused) {
    try {
      wire.loops().knock(node.host(), node.dataPort(), refused);
    } catch (IOException | RejectedExecutionException e) {
      log.debug("{} was not tried", node, e);
    }
  }

  /**
   * Runs a task once on each event loop, for tests.
   *
   * @return how many loops there are
   */
  public int onEachLoop(Runnable task) {
    return wire.loops().onEach(task);
  }

  /** The number of nodes to which connections are open or being opened, for tests and metrics. */
  int peers() {
    return peers.size();
  }

  /** The number of open connections in both directions, for tests and metrics. */
  int openConnections() {
    return wire.channels().size();
  }

  /** Allocates buffers from the pool of the connections. */
  public BatchBuffers buffers() {
    return buffers;
  }

  /** Closes all connections in order: earlier messages are still written. */
  @Override
  public void close() {
    end(true);
  }

  /** Closes all sockets at once, as a crash of the process does, and drops what was not sent. */
  public void kill() {
    end(false);
  }

  private void end(boolean orderly) {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    closed = true;
    if (!orderly) {
      for (Channel channel : wire.channels()) {
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
    wire.channels().close().awaitUninterruptibly();
    release();
  }

  private void release() {
    wire.loops().shutDown();
    buffers.leave();
  }

  /** Writes the answers that wait in the connections of other nodes. */
  private List<CompletableFuture<?>> flushed() {
    List<CompletableFuture<?>> flushes = new ArrayList<>();
    for (Channel channel : wire.channels()) {
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
          "The node closed before everything was sent within {} s; the rest is dropped",
          CLOSE_SECONDS);
    } catch (ExecutionException e) {
      log.warn("The node closed before everything was sent; the rest is dropped", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reset(Channel channel) {
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      log.debug("{} was closed before", channel, e);
    }
    channel.close();
  }

  /** The connections to a node; null if it is not a member, or if this node is closed. */
  private @Nullable Peer peer(NodeId node) {
    if (closed) {
      return null;
    }
    Peer peer = peers.get(node);
    if (peer == null && wire.members().apply(node) != null) {
      peer = peers.computeIfAbsent(node, id -> new Peer(wire, settings, id, listener));
      if (closed) {
        var unused = peer.close(false, closedException());
      } else if (wire.members().apply(node) == null) { // it has left meanwhile
        forget(node);
        peer = null;
      }
    }
    return peer;
  }

  private @Nullable FrameHandler receiver(Handshake handshake, FrameReader reader, Offer offer) {
    if (handshake.connectionClass() == ConnectionClass.BULK) {
      return new ReadServer(wire, settings, service, offer.channel(), reader);
    }
    FrameHandler messages =
        new MessageReceiver(handshake.caller(), handshake.share(), settings, listener);
    if (reader.protocol() < Link.BOTH_WAYS_PROTOCOL) {
      return messages;
    }
    Peer peer = peer(handshake.caller());
    Link<Message> own = peer == null ? null : peer.share(handshake.share());
    return own == null ? messages : own.accepted(offer, messages);
  }

  private static NodeClosedException closedException() {
    return new NodeClosedException("the node is closed");
  }

  /** Logs what a listener throws, and calls it no more once the transport is closed. */
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
          log.error("A message from node {} could not be handled: {}", from, message, e);
        }
      }
    }

    @Override
    public void onProgress(NodeId from, int share) {
      if (!closed) {
        to.onProgress(from, share);
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
