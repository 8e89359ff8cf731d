package dev.headrace.cluster.fault;

import dev.headrace.api.error.UnavailableException;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a node sends to others while it may be cut off from some of them: messages, requests for
 * batches, and the answers to these, which are held at the asking node. Thread-safe.
 */
public final class CutTransport implements Transport, ReadPort {
  private static final int MANY = 1_000;

  private final HeldTraffic held;
  private final Transport messages;
  private final ReadPort reads;

  /**
   * Stands before a wire.
   *
   * @param held holds what cannot go on
   * @param messages where messages go on
   * @param reads where requests for batches go on
   */
  public CutTransport(HeldTraffic held, Transport messages, ReadPort reads) {
    this.held = held;
    this.messages = messages;
    this.reads = reads;
  }

  @Override
  public void send(NodeId to, Message message) {
    held.pass(to, () -> messages.send(to, message), CutTransport::nothing);
  }

  @Override
  public void send(NodeId to, List<? extends Message> several) {
    held.pass(to, () -> messages.send(to, several), CutTransport::nothing);
  }

  @Override
  public void read(NodeId node, ReadRequest request, ReadHandler handler) {
    ReadHandler answered = new HeldAnswer(node, handler);
    held.pass(
        node, () -> reads.read(node, request, answered), () -> handler.failed(lostWith(node)));
  }

  /** Whether so much is held for a node that senders should hold back what is not urgent. */
  public boolean congested(NodeId node) {
    return held.held(node) > MANY;
  }

  /**
   * What ends the connections to a node that has left, with what is held for it.
   *
   * @param forget ends the connections
   */
  public Consumer<NodeId> forgetting(Consumer<NodeId> forget) {
    return node -> {
      held.lose(node);
      forget.accept(node);
    };
  }

  private static void nothing() {}

  private static UnavailableException lostWith(NodeId node) {
    return new UnavailableException("the connection to node " + node + " was lost");
  }

  /** An answer arrives when the cut is healed; if the connection ends before, it is lost. */
  private final class HeldAnswer implements ReadHandler {
    private final NodeId from;
    private final ReadHandler handler;

    HeldAnswer(NodeId from, ReadHandler handler) {
      this.from = from;
      this.handler = handler;
    }

    @Override
    public void received(Batch batch) {
      held.pass(
          from,
          () -> handler.received(batch),
          () -> {
            batch.release();
            handler.failed(lostWith(from));
          });
    }

    @Override
    public void failed(Throwable cause) {
      handler.failed(cause);
    }
  }
}
