package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The same protocol with real threads: several callers and several network threads on each node.
 */
class LanesThreadsTest {
  private static final int NODES = 3;
  private static final int SEGMENTS = 4;
  private static final int THREADS_PER_NODE = 2;
  private static final int INCREMENTS_PER_THREAD = 400;
  private static final int COUNTERS = 5;
  private static final String CACHE = "c";

  private final List<LaneNode> nodes = new ArrayList<>();
  private final List<ExecutorService> loops = new ArrayList<>();
  private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stopThreads() throws InterruptedException {
    for (ExecutorService loop : loops) {
      loop.shutdown();
      assertThat(loop.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void countersThatManyThreadsIncrementByVersionLoseNothing() throws Exception {
    SegmentTable table = Tables.written(Tables.unwritten(NODES, 0, SEGMENTS, 3));
    // One network thread for each pair of nodes, so that a lane meets several at once.
    for (int i = 0; i < NODES * NODES; i++) {
      loops.add(Executors.newSingleThreadExecutor());
    }
    for (int i = 0; i < NODES; i++) {
      int from = i;
      nodes.add(
          new LaneNode(
              LaneSettings.of(Tables.node(i), 1),
              1000,
              (to, message) -> transmit(from, to, message),
              () -> 0));
    }
    nodes.forEach(node -> node.exchange.tick(System.nanoTime()));
    nodes.forEach(node -> node.exchange.tableChanged(table));
    int adders = NODES * THREADS_PER_NODE;
    CountDownLatch finished = new CountDownLatch(adders);
    for (int i = 0; i < adders; i++) {
      new Adder(nodes.get(i % NODES), i, finished).next();
    }
    while (!finished.await(5, TimeUnit.MILLISECONDS) && errors.isEmpty()) {
      nodes.forEach(node -> node.exchange.tick(System.nanoTime()));
    }
    assertThat(errors).isEmpty();
    long sum = 0;
    for (int counter = 0; counter < COUNTERS; counter++) {
      sum += number(nodes.get(0).exchange.lanes().readHere(CACHE, 0, key(counter), true).value());
    }
    assertThat(sum).isEqualTo((long) adders * INCREMENTS_PER_THREAD);
    for (int segment = 0; segment < SEGMENTS; segment++) {
      byte[] content = nodes.get(0).content(CACHE, segment);
      assertThat(nodes.get(1).content(CACHE, segment)).isEqualTo(content);
      assertThat(nodes.get(2).content(CACHE, segment)).isEqualTo(content);
    }
  }

  private void transmit(int from, NodeId to, Message message) {
    int target = (int) to.low() - 1;
    loops
        .get(from * NODES + target)
        .execute(
            () -> {
              try {
                nodes.get(target).receive(Tables.node(from), message);
              } catch (Throwable e) {
                errors.add(e);
              }
            });
  }

  /**
   * Reads a counter and writes it back increased, if nobody was faster, until it has done enough.
   */
  private final class Adder implements Completion {
    private final LaneNode node;
    private final CountDownLatch finished;
    private final AtomicLong random;
    private final AtomicInteger left = new AtomicInteger(INCREMENTS_PER_THREAD);
    private boolean reading;
    private byte[] key = key(0);

    Adder(LaneNode node, int seed, CountDownLatch finished) {
      this.node = node;
      this.finished = finished;
      this.random = new AtomicLong(seed);
    }

    void next() {
      long drawn = random.updateAndGet(r -> r * 6364136223846793005L + 1442695040888963407L);
      key = key((int) (drawn >>> 33) % COUNTERS);
      reading = true;
      submit(Request.get(CACHE, 0, key, true));
    }

    private void submit(Request request) {
      node.exchange.caller().submit(request, TimeUnit.MINUTES.toNanos(5), this);
    }

    @Override
    public void done(OperationReply reply) {
      if (!reading && reply.applied()) {
        if (left.decrementAndGet() == 0) {
          finished.countDown();
        } else {
          next();
        }
        return;
      }
      // What was read, or what the failed attempt has found instead.
      reading = false;
      long value = reply.value() == null ? 0 : number(reply.value());
      submit(
          Request.ifVersion(
              CACHE,
              0,
              key,
              reply.versionTerm(),
              reply.versionCounter(),
              ByteBuffer.allocate(8).putLong(value + 1).array(),
              0,
              true));
    }

    @Override
    public void failed(OperationFault fault) {
      errors.add(new AssertionError(fault.failure() + ": " + fault.message()));
    }
  }

  private static byte[] key(int counter) {
    return new byte[] {'k', (byte) counter};
  }

  private static long number(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }

  @Test
  void writesOfManyThreadsToOneSegmentReachTheBackupInOrder() throws Exception {
    startPair();
    int threads = 4;
    int perThread = 900;
    CountDownLatch ended = new CountDownLatch(threads * perThread);
    Completion completion = countingDown(ended);
    List<Thread> writers = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int number = thread;
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; i < perThread; i++) {
                  byte[] value = ByteBuffer.allocate(8).putInt(number).putInt(i).array();
                  Request request = Request.set(Kind.PUT, CACHE, 0, key(i % 20), value, 0, false);
                  nodes.get(0).exchange.caller().submit(request, 300_000_000_000L, completion);
                }
              });
      writer.start();
      writers.add(writer);
    }
    for (Thread writer : writers) {
      writer.join();
    }
    while (!ended.await(5, TimeUnit.MILLISECONDS)) {
      nodes.forEach(node -> node.exchange.tick(System.nanoTime()));
    }
    assertThat(errors).isEmpty();
    assertThat(nodes.get(1).content(CACHE, 0)).isEqualTo(nodes.get(0).content(CACHE, 0));
  }

  /** A primary and its backup, with one network thread for each way between them. */
  private void startPair() {
    SegmentTable table = Tables.written(Tables.unwritten(2, 0, 1, 2));
    for (int i = 0; i < 2; i++) {
      int from = i;
      ExecutorService way = Executors.newSingleThreadExecutor();
      loops.add(way);
      nodes.add(
          new LaneNode(
              LaneSettings.of(Tables.node(i), 1),
              1000,
              (to, message) ->
                  way.execute(() -> nodes.get(1 - from).receive(Tables.node(from), message)),
              () -> 0));
    }
    nodes.forEach(node -> node.exchange.tick(System.nanoTime()));
    nodes.forEach(node -> node.exchange.tableChanged(table));
  }

  private Completion countingDown(CountDownLatch ended) {
    return new Completion() {
      @Override
      public void done(OperationReply reply) {
        ended.countDown();
      }

      @Override
      public void failed(OperationFault fault) {
        errors.add(new AssertionError(fault.failure() + ": " + fault.message()));
        ended.countDown();
      }
    };
  }
}
