package dev.headrace.cluster.node;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.cluster.cache.CacheView;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.pull.StreamEnvironment;
import dev.headrace.stream.pull.StreamPlan;

/** Makes what users hold of a cache: its view, and the streams over it. Thread-safe. */
final class CacheOpening {
  private final NodeSettings settings;
  private final NodePorts ports;
  private final CurrentTable table;
  private final ClusterClock clock;
  private final NodeCalls calls;

  CacheOpening(
      NodeSettings settings,
      NodePorts ports,
      CurrentTable table,
      ClusterClock clock,
      NodeCalls calls) {
    this.settings = settings;
    this.ports = ports;
    this.table = table;
    this.clock = clock;
    this.calls = calls;
  }

  /**
   * Opens a cache.
   *
   * @throws CodecException if this node holds some of it, in another format
   */
  <K, V> CacheView<K, V> open(CacheSettings<K, V> cache) {
    if (!calls.admits(cache.name(), CacheView.format(cache))) {
      throw new CodecException(
          "Cache \"%s\" holds keys or values of another format than %s to %s: open it with the codecs that wrote it"
              .formatted(cache.name(), cache.keyCodec().format(), cache.valueCodec().format()));
    }
    CacheView.Place place =
        new CacheView.Place(
            () -> table.view().segments(),
            clock,
            this::maxEntryBytes,
            calls,
            ports.user(),
            new CacheView.Patience(
                ports.timer()::nanoTime,
                settings.busyPoll().toNanos(),
                settings.operationTimeout().toNanos()));
    return CacheView.open(cache, place, () -> stream(cache));
  }

  private <K, V> CacheStream<K, V> stream(CacheSettings<K, V> cache) {
    calls.checkOpen();
    SegmentTable now = table.view();
    StreamEnvironment environment =
        new StreamEnvironment(
            table,
            calls.guarding(ports.reads()),
            ports.timer(),
            ports.user(),
            new HashSpace(now.segments(), now.hashSeed()),
            now.island(),
            table::nameOf);
    return StreamPlan.over(environment, cache, CacheView.format(cache));
  }

  /**
   * The largest sum of encoded key and value that the cluster takes. A node that holds nothing has
   * perhaps been started with another.
   */
  int maxEntryBytes() {
    SegmentTable now = table.orNull();
    return now == null ? settings.maxEntryBytes() : now.header().maxEntryBytes();
  }
}
