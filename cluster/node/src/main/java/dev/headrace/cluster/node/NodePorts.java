package dev.headrace.cluster.node;

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
 * Everything of the outside that a node engine uses: a cluster runs it on sockets and threads, a
 * simulation on queues.
 *
 * @param membership who is there, and control messages
 * @param transport messages to other nodes
 * @param congested whether so much waits for a node that what can wait elsewhere should
 * @param reads batches of other nodes
 * @param buffers where batches of this node are copied
 * @param forget ends what is under way with a node that is no longer a member
 * @param door tries whether a node still listens
 * @param timer the monotonic clock and delays
 * @param wallMillis the wall clock, asked once
 * @param control runs the agreement; one task at a time, in order with the membership's calls
 * @param lanes runs what lanes do by themselves: changes of roles, and copies of this node's own,
 *     and counts what caches hold; one task at a time, in order
 * @param user runs what may call user code: streams and asynchronous results
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
    Executor user,
    RandomGenerator random) {}
