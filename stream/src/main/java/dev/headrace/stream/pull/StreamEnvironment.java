package dev.headrace.stream.pull;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.entry.HashSpace;
import java.util.concurrent.Executor;
import java.util.function.Function;

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
 */
public record StreamEnvironment(
    Ownership ownership,
    ReadPort port,
    Timer timer,
    Executor executor,
    HashSpace hashSpace,
    long clusterIdentity,
    Function<NodeId, String> nodeName) {}
