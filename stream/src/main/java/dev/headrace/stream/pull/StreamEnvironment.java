package dev.headrace.stream.pull;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.StreamMemory;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What streams need of their node. For any thread.
 *
 * @param ownership who owns which segment
 * @param port reads from nodes
 * @param timer the clock, and alarms
 * @param executor runs the drain unless the user names another executor
 * @param hashSpace how keys become segments and positions
 * @param clusterIdentity distinguishes this cluster's resume tokens from those of others
 * @param nodeName the name of a node, for listeners
 * @param clusterMillis cluster time, for expiry
 * @param memory the memory that all streams of the node share
 * @param observer who is told of a stream that begins now; null if nobody is
 */
public record StreamEnvironment(
    Ownership ownership,
    ReadPort port,
    Timer timer,
    Executor executor,
    HashSpace hashSpace,
    long clusterIdentity,
    Function<NodeId, String> nodeName,
    LongSupplier clusterMillis,
    StreamMemory memory,
    Supplier<@Nullable StreamObserver> observer) {

  /** An environment in which nobody is told of streams. */
  public StreamEnvironment(
      Ownership ownership,
      ReadPort port,
      Timer timer,
      Executor executor,
      HashSpace hashSpace,
      long clusterIdentity,
      Function<NodeId, String> nodeName,
      LongSupplier clusterMillis,
      StreamMemory memory) {
    this(
        ownership,
        port,
        timer,
        executor,
        hashSpace,
        clusterIdentity,
        nodeName,
        clusterMillis,
        memory,
        () -> null);
  }

  /** This environment with other memory. */
  StreamEnvironment with(StreamMemory other) {
    return with(port, other);
  }

  /** This environment with another way to read. */
  public StreamEnvironment with(ReadPort other) {
    return with(other, memory);
  }

  private StreamEnvironment with(ReadPort reads, StreamMemory other) {
    return new StreamEnvironment(
        ownership,
        reads,
        timer,
        executor,
        hashSpace,
        clusterIdentity,
        nodeName,
        clusterMillis,
        other,
        observer);
  }
}
