package dev.headrace.cluster.wire;

import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** A transport that remembers what it was told. */
final class TestNode implements WireListener, AutoCloseable {
  static final int MAX_ENTRY_BYTES = 80 << 20;
  private static final long PATIENCE_SECONDS = 60;

  final NodeId id;
  final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
  final BlockingQueue<NodeId> disconnected = new LinkedBlockingQueue<>();

  /** Who has brought the messages of each share. */
  final Map<Integer, Set<Thread>> threads = new ConcurrentHashMap<>();

  final WireTransport transport;

  /** Nodes that find each other. */
  static final class Neighbours {
    final Map<NodeId, Member> members = new ConcurrentHashMap<>();
    private final PortSecurity security;

    Neighbours() {
      this(PortSecurity.NONE);
    }

    Neighbours(PortSecurity security) {
      this.security = security;
    }

    TestNode start(int number) {
      return start(number, settings -> settings, TestNode::countUp);
    }

    TestNode start(int number, UnaryOperator<WireSettings> change, ReadService service) {
      NodeId id = new NodeId(number, number);
      WireSettings settings =
          change.apply(
              WireSettings.of("mill", id, "127.0.0.1", 0, () -> MAX_ENTRY_BYTES).with(security));
      TestNode node = new TestNode(this, id, settings, service);
      members.put(id, new Member(id, "node" + number, "127.0.0.1", node.transport.port(), "", 1));
      return node;
    }

    /** From now on the nodes speak a version of the protocol, at most, with one of them. */
    void limit(NodeId id, int newest) {
      ProtocolVersions versions =
          new ProtocolVersions(Math.min(newest, ProtocolVersions.OWN.oldest()), newest);
      members.computeIfPresent(
          id,
          (same, known) ->
              new Member(
                  id,
                  known.name(),
                  known.host(),
                  known.dataPort(),
                  known.zone(),
                  known.capacity(),
                  versions));
    }
  }

  private TestNode(Neighbours all, NodeId id, WireSettings settings, ReadService service) {
    this.id = id;
    this.transport = WireTransport.start(settings, all.members::get, this, service);
  }

  /** Answers with as many bytes as were asked for, counting up from the request's format. */
  static void countUp(ReadRequest request, ReadReply reply) {
    ByteBuffer out = reply.entries(request.maxBytes());
    byte next = (byte) request.format();
    while (out.hasRemaining()) {
      out.put(next++);
    }
    reply.answer(
        request.epoch(),
        List.of(new SegmentPart(request.segments()[0], 1, SegmentPart.Status.DONE, Cursor.START)),
        0,
        Batch.NO_SEQUENCE);
  }

  static ReadRequest request(int format, int maxBytes) {
    return new ReadRequest(
        "quotes",
        format,
        17,
        new int[] {5},
        new int[] {0},
        Cursor.START,
        10,
        maxBytes,
        false,
        Projection.ENTRIES,
        null);
  }

  static Replicated message(long number) {
    return new Replicated("quotes", 1, 2, 3, number, true, false);
  }

  CompletableFuture<Batch> read(NodeId node, ReadRequest request) {
    CompletableFuture<Batch> answer = new CompletableFuture<>();
    transport.read(
        node,
        request,
        new ReadHandler() {
          @Override
          public void received(Batch batch) {
            if (!answer.complete(batch)) {
              throw new AssertionError("answered twice");
            }
          }

          @Override
          public void failed(Throwable cause) {
            if (!answer.completeExceptionally(cause)) {
              throw new AssertionError("answered twice", cause);
            }
          }
        });
    return answer;
  }

  Message nextMessage() throws InterruptedException {
    return next(messages);
  }

  static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing came");
    }
    return next;
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("it never came true");
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** Waits as a thread does that hangs until a test lets it go on. */
  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void onMessage(NodeId from, Message message) {
    threads
        .computeIfAbsent(message.share(), share -> ConcurrentHashMap.newKeySet())
        .add(Thread.currentThread());
    if (message instanceof MessageGroup group) {
      messages.addAll(group.messages());
    } else {
      messages.add(message);
    }
  }

  @Override
  public void onDisconnected(NodeId node) {
    disconnected.add(node);
  }

  @Override
  public void close() {
    transport.close();
  }
}
