package dev.headrace.cluster.node;

import dev.headrace.cluster.detection.Endings;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.read.BatchBuffers;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.ReadPort;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * The outside world of a node engine: sockets and threads in a cluster, queues in a simulation.
 *
 * @param membership views and control messages
 * @param transport messages to other nodes
 * @param congested whether so much waits for a node that senders should hold back what is not
 *     urgent
 * @param reads batches of other nodes
 * @param buffers memory for this node's own batches
 * @param forget ends what is under way with a node that is no longer a member
 * @param door tries whether a node still listens
 * @param timer the monotonic clock and delays
 * @param wallMillis the wall clock, read once
 * @param control runs the agreement; one task at a time, in order with the membership's calls
 * @param lanes runs changes of roles, copies that the coordinator orders from its own node, and
 *     counts of caches; one task at a time, in order
 * @param changes looks for answers to readers of changes; one task at a time, in order
 * @param user runs everything that may call user code: streams and asynchronous results
 * @param functions runs functions of users that streams call, which may take long; refuses what is
 *     too much
 * @param random draws the cluster's hash seed and identity
 */
record NodePorts(
    Membership membership,
    Transport transport,
    Predicate<NodeId> congested,
    ReadPort reads,
    BatchBuffers buffers,
    Consumer<NodeId> forget,
    Endings.Door door,
    Timer timer,
    long wallMillis,
    Executor control,
    Executor lanes,
    Executor changes,
    Executor user,
    Executor functions,
    RandomGenerator random) {}
