package dev.headrace.cluster.wire;

import dev.headrace.cluster.read.ReadService;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.wire.connection.Loops;
import dev.headrace.stream.NodeId;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The settings of a node's wire.
 *
 * @param clusterName name of the cluster; nodes of another cluster are refused
 * @param self this node's identity
 * @param bindAddress host name or address to listen on
 * @param port TCP port to listen on, 0 for a free one
 * @param maxEntryBytes supplies the cluster's largest sum of a key's and a value's encoded bytes,
 *     which bounds every frame; called by any thread, since it may become known only when the node
 *     has joined
 * @param security what both sides of a connection have to prove
 * @param sizes how many threads and connections
 * @param handOver which executors handle what arrives
 */
public record WireSettings(
    String clusterName,
    NodeId self,
    String bindAddress,
    int port,
    IntSupplier maxEntryBytes,
    PortSecurity security,
    Sizes sizes,
    HandOver handOver) {

  /** Runs tasks at once, on the event loop that received the message. */
  public static final Executor INLINE = Runnable::run;

  /** Room in a frame for everything but keys and values: headers, numbers, names. */
  private static final int FRAME_SLACK_BYTES = 1 << 20;

  /** The least limit of the bytes that wait for one connection. */
  private static final long MIN_QUEUE_BYTES = 256L << 20;

  /**
   * The number of threads of a wire. It opens as many connections of a class to each other node as
   * it has loops of that class.
   *
   * @param operationLoops threads that read and write operations and replication
   * @param bulkLoops threads that read and write batches
   * @param busyPollNanos tells how long a loop for operations polls after something has arrived,
   *     before it blocks; 0 for not at all. Asked by the loops at each arrival
   */
  public record Sizes(int operationLoops, int bulkLoops, LongSupplier busyPollNanos) {

    /** One of each, and no busy polling. */
    public static final Sizes SMALLEST = new Sizes(1, 1, () -> 0);

    /** Checks all sizes. */
    public Sizes {
      requireLoops("operationLoops", operationLoops);
      requireLoops("bulkLoops", bulkLoops);
    }
  }

  /**
   * The executors that handle what arrives.
   *
   * @param operations runs {@link WireListener}'s methods; must keep the order of its tasks
   * @param reads runs {@link ReadService#read} for other nodes
   */
  public record HandOver(Executor operations, Executor reads) {

    /** Hands nothing over: everything runs on the event loops. */
    public static final HandOver NONE = new HandOver(INLINE, INLINE);
  }

  /** No security, one loop of each class, no busy polling, everything inline. */
  public static WireSettings of(
      String clusterName, NodeId self, String bindAddress, int port, IntSupplier maxEntryBytes) {
    return new WireSettings(
        clusterName,
        self,
        bindAddress,
        port,
        maxEntryBytes,
        PortSecurity.NONE,
        Sizes.SMALLEST,
        HandOver.NONE);
  }

  /** The same with other {@link #sizes}. */
  public WireSettings with(Sizes other) {
    return new WireSettings(
        clusterName, self, bindAddress, port, maxEntryBytes, security, other, handOver);
  }

  /** The same with another {@link #handOver}. */
  public WireSettings with(HandOver other) {
    return new WireSettings(
        clusterName, self, bindAddress, port, maxEntryBytes, security, sizes, other);
  }

  /** The same with another {@link #security}. */
  public WireSettings with(PortSecurity other) {
    return new WireSettings(
        clusterName, self, bindAddress, port, maxEntryBytes, other, sizes, handOver);
  }

  /** The longest body of a message, which may carry a new, an expected and a previous value. */
  int messageLimitBytes() {
    return (int)
        Math.min(Integer.MAX_VALUE - 1024, 3L * maxEntryBytes.getAsInt() + FRAME_SLACK_BYTES);
  }

  /**
   * The most bytes that may wait for one connection before it is closed. They always have room for
   * a message that is being sent and for another one.
   */
  long queueLimitBytes() {
    return Math.max(MIN_QUEUE_BYTES, 2L * messageLimitBytes());
  }

  /** The longest body of a read request, which may have thousands of keys. */
  int requestLimitBytes() {
    return (int)
        Math.min(Integer.MAX_VALUE - 1024, (long) maxEntryBytes.getAsInt() + FRAME_SLACK_BYTES);
  }

  /** The most bytes of entries in one answer. */
  int batchLimitBytes() {
    return (int)
        Math.min(Integer.MAX_VALUE - (2 << 20), 2L * maxEntryBytes.getAsInt() + FRAME_SLACK_BYTES);
  }

  private static void requireLoops(String name, int loops) {
    require(
        loops >= 1 && loops <= Loops.MAX_LOOPS,
        name + " must be between 1 and " + Loops.MAX_LOOPS + ", but is " + loops);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
