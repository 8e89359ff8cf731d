package dev.headrace.stream.pull;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several nodes and their stores in one thread, from a seed. Node 0 runs the streams. It checks the
 * first law from outside, and counts the buffers.
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
final class SyntheticCluster extends SyntheticTime implements Ownership, ReadPort {

  static final String CACHE = "quotes";
  static final long IDENTITY = 0x5eedL;

  private static final long FIRST_MILLIS = 1_000_000;

  /** More than any answer of a test. */
  private static final int MAX_ROOM_BYTES = 8 << 20;

  final Random random;
  final HashSpace space;
  final List<Node> nodes = new ArrayList<>();
  final TreeMap<String, String> content = new TreeMap<>();

  /** Every request that was sent, in order. */
  final List<Sent> sent = new ArrayList<>();

  /** Delays of answers are drawn below this; 0 answers within {@code read}. */
  long maxDelayNanos = 1_000_000;

  /** In thousandths: how often the connection breaks instead of an answer. */
  int failuresPerMille;

  boolean localAtOnce = true;

  /** Whether the next table says that something was ever written. */
  boolean written = true;

  /** The version of the protocol that the next table names. */
  int protocol = Integer.MAX_VALUE;

  /** Cluster time, which expiry is compared with. */
  long clusterMillis = FIRST_MILLIS;

  /** What the streams of node 0 share. */
  StreamMemory memory = new StreamMemory(1L << 30);

  private final List<Waiting> waiting = new ArrayList<>();

  /** What the nodes know. */
  FunctionTable functions = FunctionTable.NONE;

  private final int segments;
  private int[][] owners;
  private int[] incarnations;
  private Table view;
  private long epoch;
  private long version;

  int inFlightEntries;
  long inFlightBytes;
  int bufferedEntries;
  long bufferedBytes;
  int buffersOut;
  int buffersMade;
  int mostEntries;
  long mostBytes;

  static final class Node {
    final NodeId id;
    final SegmentStore store;
    boolean alive = true;
    boolean silent;

    Node(NodeId id, SegmentStore store) {
      this.id = id;
      this.store = store;
    }
  }

  record Sent(NodeId node, ReadRequest request) {}

  private record Waiting(long epoch, Runnable task) {}

  private record Table(
      long epoch,
      int[][] owners,
      int[] incarnations,
      boolean written,
      int protocol,
      List<Node> nodes)
      implements View {
    @Override
    public int segments() {
      return owners.length;
    }

    @Override
    public int ownerCount(int segment) {
      return owners[segment].length;
    }

    @Override
    public NodeId owner(int segment, int index) {
      return nodes.get(owners[segment][index]).id;
    }

    @Override
    public int incarnation(int segment) {
      return incarnations[segment];
    }
  }

  /** A cluster whose segments are spread evenly; {@code replicas} owners each. */
  SyntheticCluster(long seed, int nodeCount, int segments, int replicas) {
    this(new Random(seed), nodeCount, replicas, new HashSpace(segments, seed));
  }

  SyntheticCluster(Random random, int nodeCount, int replicas, HashSpace space) {
    this.random = random;
    this.segments = space.segments();
    this.space = space;
    for (int i = 0; i < nodeCount; i++) {
      addNode();
    }
    owners = new int[segments][];
    incarnations = new int[segments];
    for (int s = 0; s < segments; s++) {
      owners[s] = new int[Math.min(replicas, nodeCount)];
      for (int i = 0; i < owners[s].length; i++) {
        owners[s][i] = (s + i) % nodeCount;
        nodes.get(owners[s][i]).store.open(s, 0, ReplicaState.OWNER);
      }
    }
    view = table();
  }

  int addNode() {
    SegmentStore store = new SegmentStore(space, () -> clusterMillis, StoreLimits.DEFAULT);
    nodes.add(new Node(new NodeId(7, nodes.size()), store));
    return nodes.size() - 1;
  }

  StreamEnvironment environment() {
    return environment(null);
  }

  private StreamEnvironment environment(@Nullable StreamObserver observer) {
    return new StreamEnvironment(
        this,
        this,
        this,
        this,
        space,
        IDENTITY,
        id -> "node-" + id.low(),
        () -> clusterMillis,
        memory,
        () -> observer);
  }

  StreamPlan<String, String> stream() {
    return stream(null);
  }

  StreamPlan<String, String> stream(@Nullable StreamObserver observer) {
    return StreamPlan.over(
        environment(observer), new CacheSettings<>(CACHE, Codecs.string(), Codecs.string()), 0);
  }

  // Content.

  int segmentOf(String key) {
    return space.segment(space.hash(bytes(key)));
  }

  void put(String key, String value) {
    put(key, value, 0);
  }

  /**
   * @param expiryMillis cluster time, 0 for none
   */
  void put(String key, String value, long expiryMillis) {
    content.put(key, value);
    put(bytes(key), bytes(value), expiryMillis);
  }

  /** Stores an entry of a cache with other codecs, which {@link #content} does not have. */
  void put(byte[] encoded, byte[] value, long expiryMillis) {
    long hash = space.hash(encoded);
    int segment = space.segment(hash);
    version++;
    forReplicas(
        segment,
        replica -> replica.put(space.position(hash), encoded, value, 1, version, expiryMillis));
  }

  void remove(String key) {
    content.remove(key);
    byte[] encoded = bytes(key);
    long hash = space.hash(encoded);
    forReplicas(space.segment(hash), replica -> replica.remove(space.position(hash), encoded));
  }

  void fill(int entries) {
    for (int i = 0; i < entries; i++) {
      put("key-" + i, "value-" + i);
    }
  }

  private void forReplicas(int segment, Consumer<Replica> action) {
    for (Node node : nodes) {
      Replica replica = node.store.replica(segment);
      if (node.alive && replica != null) {
        action.accept(replica);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // Ownership.

  int[] ownersOf(int segment) {
    return owners[segment];
  }

  /** Gives a segment new owners, in a table that is published later. */
  void own(int segment, int... by) {
    owners[segment] = by;
  }

  int incarnationOf(int segment) {
    return incarnations[segment];
  }

  void raiseIncarnation(int segment) {
    incarnations[segment]++;
  }

  /** Copies a segment from one node to another that becomes an owner of it. */
  void migrate(int segment, int from, int to) {
    Replica source = Objects.requireNonNull(nodes.get(from).store.replica(segment));
    Replica copy = nodes.get(to).store.open(segment, incarnations[segment], ReplicaState.COPYING);
    copyEntries(source, copy);
    copy.become(ReplicaState.OWNER);
  }

  private void copyEntries(Replica source, Replica copy) {
    ByteBuffer out = ByteBuffer.allocate(8 << 20);
    new SegmentReader()
        .read(source, Cursor.START, Integer.MAX_VALUE, out.capacity(), Projection.REPLICA, out);
    out.flip();
    EntryView entry = new EntryView();
    for (int at = 0; at < out.limit(); ) {
      at = entry.parse(out, at, out.limit());
      byte[] key = entry.key(out);
      copy.put(
          space.position(space.hash(key)),
          key,
          entry.value(out),
          entry.term(out),
          entry.counter(out),
          entry.expiryMillis());
    }
  }

  /** Puts the present owners in force as a new epoch. */
  void publish() {
    epoch++;
    view = table();
    List<Waiting> due = new ArrayList<>(waiting);
    waiting.clear();
    for (Waiting task : due) {
      var unused = awaitNewerThan(task.epoch, task.task);
    }
  }

  private Table table() {
    int[][] copy = new int[segments][];
    for (int s = 0; s < segments; s++) {
      copy[s] = owners[s].clone();
    }
    return new Table(epoch, copy, incarnations.clone(), written, protocol, List.copyOf(nodes));
  }

  /** The node is gone from now on; the table still has it. */
  void crash(int index) {
    nodes.get(index).alive = false;
  }

  /** Takes dead nodes out of the owners; what loses all of them gets a new incarnation. */
  void removeDead() {
    for (int s = 0; s < segments; s++) {
      int[] left = Arrays.stream(owners[s]).filter(i -> nodes.get(i).alive).toArray();
      if (left.length == 0 && owners[s].length > 0) {
        incarnations[s]++;
      }
      owners[s] = left;
    }
  }

  @Override
  public NodeId self() {
    return nodes.get(0).id;
  }

  @Override
  public View view() {
    return view;
  }

  @Override
  public Cancellable awaitNewerThan(long than, Runnable task) {
    Waiting waiter = new Waiting(than, task);
    if (view.epoch > than) {
      task.run();
    } else {
      waiting.add(waiter);
    }
    return () -> waiting.remove(waiter);
  }

  /** How many tasks wait for a newer epoch. */
  int waiting() {
    return waiting.size();
  }

  // Reading.

  @Override
  public void read(NodeId id, ReadRequest request, ReadHandler handler) {
    sent.add(new Sent(id, request));
    inFlightEntries += request.maxEntries();
    inFlightBytes += request.maxBytes();
    mostEntries = Math.max(mostEntries, inFlightEntries + bufferedEntries);
    if (!request.alone()) {
      mostBytes = Math.max(mostBytes, inFlightBytes + bufferedBytes);
    } else if (onlyOneStream() && inFlightEntries + bufferedEntries != request.maxEntries()) {
      throw new AssertionError("a request that should travel alone does not");
    }
    Node node = node(id);
    boolean atOnce = maxDelayNanos == 0 || (localAtOnce && id.equals(self()));
    if (atOnce) {
      serve(node, request, handler, 0);
    } else {
      schedule(delay(), () -> serve(node, request, handler, delay()));
    }
  }

  private long delay() {
    return maxDelayNanos == 0 ? 0 : (long) (random.nextDouble() * maxDelayNanos / 2);
  }

  private void serve(Node node, ReadRequest request, ReadHandler handler, long wayBackNanos) {
    if (node.silent) {
      return;
    }
    boolean broken = random.nextInt(1000) < failuresPerMille && !node.id.equals(self());
    if (!node.alive || broken) {
      inFlightEntries -= request.maxEntries();
      inFlightBytes -= request.maxBytes();
      handler.failed(new IllegalStateException("the connection to " + node.id + " ended"));
      return;
    }
    ByteBuffer out = ByteBuffer.allocateDirect(Math.min(request.maxBytes(), MAX_ROOM_BYTES));
    BatchReader reader = new BatchReader(functions);
    List<SegmentPart> parts = reader.answer(node.store, 0, request, out);
    out.flip();
    long tooLarge = reader.entryBytes();
    Runnable deliver = () -> deliver(request, handler, out, parts, tooLarge);
    if (wayBackNanos == 0) {
      deliver.run();
    } else {
      schedule(wayBackNanos, deliver);
    }
  }

  private void deliver(
      ReadRequest request,
      ReadHandler handler,
      ByteBuffer out,
      List<SegmentPart> parts,
      long tooLarge) {
    int entries = parts.stream().mapToInt(SegmentPart::entries).sum();
    int bytes = out.remaining();
    inFlightEntries -= request.maxEntries();
    inFlightBytes -= request.maxBytes();
    bufferedEntries += entries;
    bufferedBytes += bytes;
    buffersOut++;
    buffersMade++;
    handler.received(
        new Batch(
            epoch,
            out,
            parts,
            tooLarge,
            () -> {
              poison(out);
              bufferedEntries -= entries;
              bufferedBytes -= bytes;
              buffersOut--;
            }));
  }

  /** Whoever reads a buffer that was given back shall notice. */
  private static void poison(ByteBuffer out) {
    for (int i = 0; i < out.limit(); i++) {
      out.put(i, (byte) 0xFF);
    }
  }

  /** Without another one that looks up what has expired. */
  private boolean onlyOneStream() {
    return memory.usage().streams() == 1 && clusterMillis == FIRST_MILLIS;
  }

  Node node(NodeId id) {
    return nodes.get((int) id.low());
  }
}
