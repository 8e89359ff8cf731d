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

/**
 * What streams need of the node that they run on. For any thread.
 *
 * @param ownership who owns which segment
 * @param port how nodes are read
 * @param timer the clock, and retries
 * @param executor where publishers signal unless the user names another one
 * @param hashSpace how keys become segments and positions
 * @param clusterIdentity tells this cluster's resume tokens from others'
 * @param nodeName what listeners call a node
 * @param clusterMillis cluster time, which expiry is compared with
 * @param memory what all streams of the node share
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
    StreamMemory memory) {

  /** The same with memory of its own. */
  StreamEnvironment with(StreamMemory other) {
    return new StreamEnvironment(
        ownership,
        port,
        timer,
        executor,
        hashSpace,
        clusterIdentity,
        nodeName,
        clusterMillis,
        other);
  }
}
