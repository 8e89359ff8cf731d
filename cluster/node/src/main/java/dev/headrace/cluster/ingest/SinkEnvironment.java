package dev.headrace.cluster.ingest;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.entry.HashSpace;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of a life of a node that its sinks use.
 *
 * @param cache the cache's name
 * @param space how keys fall into segments
 * @param primaries the primary of a segment by the newest table, or an identity that stands for
 *     nobody
 * @param names the name of a node
 * @param port carries writes
 * @param timer the clock and delays
 * @param executor the node's executor for what may call user code
 * @param whenEnded tells why when the life ends, at once if it has, on any thread; returns what
 *     forgets who is to be told. Afterwards nothing that waits for a time may be relied on
 * @param totals adds up what all sinks of the life have sent
 * @param random draws what tells the keys of two sinks apart
 */
public record SinkEnvironment(
    String cache,
    Supplier<HashSpace> space,
    IntFunction<NodeId> primaries,
    Function<NodeId, String> names,
    CallPort port,
    Timer timer,
    Executor executor,
    Function<Consumer<HeadraceException>, Runnable> whenEnded,
    IngestTotals totals,
    LongSupplier random) {

  /** Stands for the primary of a segment that has no owner. */
  public static final NodeId NOBODY = new NodeId(0, 0);
}
