package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.StoredEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A few nodes whose messages lie on a table until a test delivers or drops them. The owners of the
 * one segment are the first data nodes, in order; the last node only calls.
 */
final class Stage {
  static final String CACHE = "c";
  static final long MILLIS = 1_000_000L;
  static final long RESEND_MILLIS = 200;
  private static final int MAX_ENTRY_BYTES = 1000;

  final List<LaneNode> nodes = new ArrayList<>();
  final List<Envelope> sent = new ArrayList<>();
  SegmentTable table;
  long nowMillis = 1_000;
  long millisPerLook; // for which the clock goes on by itself

  record Envelope(NodeId from, NodeId to, Message message) {}

  /** What became of an operation. */
  static final class Answer implements Completion {
    @Nullable OperationReply reply;
    @Nullable Failure failure;
    String message = "";
    int calls;

    @Override
    public void done(OperationReply reply) {
      this.reply = reply;
      calls++;
    }

    @Override
    public void failed(OperationFault fault) {
      failure = fault.failure();
      message = fault.message();
      calls++;
    }

    boolean pending() {
      return calls == 0;
    }

    boolean applied() {
      return reply != null && reply.applied();
    }

    @Nullable String value() {
      return reply == null || reply.value() == null
          ? null
          : new String(reply.value(), StandardCharsets.UTF_8);
    }
  }

  static Stage written(int dataNodes, int owners) {
    Stage stage = new Stage(dataNodes, owners, settings -> settings);
    stage.installEverywhere(Tables.written(stage.table));
    return stage;
  }

  Stage(int dataNodes, int owners, UnaryOperator<LaneSettings> adjustment) {
    this(dataNodes, 1, owners, adjustment);
  }

  Stage(int dataNodes, int segments, int owners, UnaryOperator<LaneSettings> adjustment) {
    table = Tables.unwritten(dataNodes, 1, segments, owners);
    for (int i = 0; i <= dataNodes; i++) {
      NodeId id = Tables.node(i);
      LaneSettings settings =
          new LaneSettings(id, 1, 64, 1 << 20, 4, RESEND_MILLIS * MILLIS, 1_000 * MILLIS);
      nodes.add(
          new LaneNode(
              adjustment.apply(settings),
              MAX_ENTRY_BYTES,
              (to, message) -> sent.add(new Envelope(id, to, message)),
              () -> nowMillis += millisPerLook));
    }
    tick(1);
    installEverywhere(table);
  }

  LaneNode node(int index) {
    return nodes.get(index);
  }

  NodeId id(int index) {
    return nodes.get(index).id;
  }

  // ---- Tables and time

  void installEverywhere(SegmentTable newer) {
    table = newer;
    nodes.forEach(node -> node.exchange.tableChanged(newer));
  }

  void install(SegmentTable newer, int... indexes) {
    table = newer;
    for (int index : indexes) {
      node(index).exchange.tableChanged(newer);
    }
  }

  void tick(long millis) {
    nowMillis += millis;
    nodes.forEach(node -> node.exchange.tick(nowMillis * MILLIS));
  }

  /** Time goes on until what was lost is sent again. */
  void tickUntilResent() {
    tick(1);
    tick(RESEND_MILLIS);
  }

  // ---- Messages

  /** Delivers everything, and what comes of it. */
  void deliverAll() {
    deliver(envelope -> true);
  }

  /** Delivers what matches, and what comes of it as far as it matches. */
  void deliver(Predicate<Envelope> matching) {
    for (int i = 0; i < sent.size(); i++) {
      Envelope envelope = sent.get(i);
      if (matching.test(envelope)) {
        sent.remove(i);
        hand(envelope);
        i = -1;
      }
    }
  }

  /** Takes what matches off the table without delivering it. */
  List<Envelope> take(Predicate<Envelope> matching) {
    List<Envelope> taken = sent.stream().filter(matching).toList();
    sent.removeAll(taken);
    return taken;
  }

  /** Takes what matches, now and while time goes on, and delivers nothing. */
  List<Envelope> takeFor(long millis, Predicate<Envelope> matching) {
    List<Envelope> taken = new ArrayList<>(take(matching));
    long endMillis = nowMillis + millis;
    while (nowMillis < endMillis) {
      tick(100);
      taken.addAll(take(matching));
    }
    return taken;
  }

  /** Delivers a message, unless its receiver has crashed. */
  void hand(Envelope envelope) {
    for (LaneNode node : List.copyOf(nodes)) {
      if (node.id.equals(envelope.to)) {
        node.receive(envelope.from, envelope.message);
      }
    }
  }

  static Predicate<Envelope> carrying(Class<? extends Message> type) {
    return envelope -> type.isInstance(envelope.message);
  }

  Predicate<Envelope> to(int index) {
    return envelope -> envelope.to.equals(id(index));
  }

  Predicate<Envelope> between(int one, int other) {
    return envelope ->
        (envelope.from.equals(id(one)) && envelope.to.equals(id(other)))
            || (envelope.from.equals(id(other)) && envelope.to.equals(id(one)));
  }

  /** The node stops; nothing from it or to it is on the table any more. */
  void crash(int index) {
    take(envelope -> envelope.from.equals(id(index)) || envelope.to.equals(id(index)));
    nodes.set(
        index,
        new LaneNode(
            LaneSettings.of(new NodeId(77, index), 1), 1, (to, message) -> {}, () -> nowMillis));
  }

  // ---- Operations of the last node

  Answer submit(Request request) {
    return submit(nodes.size() - 1, request);
  }

  Answer submit(int caller, Request request) {
    Answer answer = new Answer();
    node(caller).exchange.caller().submit(request, 3_000 * MILLIS, answer);
    return answer;
  }

  Answer put(String key, String value) {
    return submit(set(Kind.PUT, key, value));
  }

  Answer get(String key) {
    return submit(Request.get(CACHE, 0, bytes(key), true));
  }

  static Request set(Kind kind, String key, String value) {
    return set(kind, 0, key, value);
  }

  static Request set(Kind kind, int format, String key, String value) {
    return Request.set(kind, CACHE, format, bytes(key), bytes(value), 0, true);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** What a node's replica holds, whatever the protocol thinks of it. */
  @Nullable String stored(int index, String key) {
    var store = node(index).exchange.lanes().store(CACHE);
    var replica = store.replica(0);
    StoredEntry entry =
        replica == null
            ? null
            : replica.find(store.space().position(store.space().hash(bytes(key))), bytes(key));
    return entry == null ? null : new String(entry.value(), StandardCharsets.UTF_8);
  }
}
