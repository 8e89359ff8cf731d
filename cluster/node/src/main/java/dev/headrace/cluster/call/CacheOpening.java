package dev.headrace.cluster.call;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.cluster.agreement.ClusterClock;
import dev.headrace.cluster.cache.AgreedSettings;
import dev.headrace.cluster.cache.CacheView;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.cluster.cache.KeyQueues;
import dev.headrace.cluster.ingest.IngestTotals;
import dev.headrace.cluster.ingest.SinkEnvironment;
import dev.headrace.cluster.ingest.SinkPlan;
import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.cluster.status.StreamedTable;
import dev.headrace.cluster.wire.CpuContention;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.change.ChangeEnvironment;
import dev.headrace.stream.change.ChangePlan;
import dev.headrace.stream.change.ChangePort;
import dev.headrace.stream.change.ChangeReaders;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.pull.StreamEnvironment;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Opens caches: makes the views and streams that users get. Thread-safe. */
public final class CacheOpening {
  private final NodeSettings settings;
  private final Supplier<Ground> ground;
  private final CallPort port;
  private final KeyQueues queues = new KeyQueues();

  /**
   * The parts of one life of a node that caches use.
   *
   * @param table the newest segment table
   * @param clock cluster time
   * @param calls the node's calls
   * @param reads reads batches of any node
   * @param changes asks any node for changes
   * @param changeReaders knows its streams of changes
   * @param timer the monotonic clock and delays
   * @param user runs everything that may call user code
   * @param random draws what must differ from node to node
   * @param streamMemory the memory that its streams share
   * @param ingest what its sinks have sent
   */
  public record Ground(
      CurrentTable table,
      ClusterClock clock,
      NodeCalls calls,
      ReadPort reads,
      ChangePort changes,
      ChangeReaders changeReaders,
      Timer timer,
      Executor user,
      RandomGenerator random,
      StreamMemory streamMemory,
      IngestTotals ingest) {}

  /** Opens caches of a node that has one life. */
  public CacheOpening(NodeSettings settings, Ground ground) {
    this(settings, () -> ground, ground.calls());
  }

  /** Opens caches that outlast the lives of their node. */
  public static CacheOpening ofLives(NodeSettings settings, Supplier<Ground> present) {
    return new CacheOpening(settings, present, new PresentCalls(() -> present.get().calls()));
  }

  private CacheOpening(NodeSettings settings, Supplier<Ground> ground, CallPort port) {
    this.settings = settings;
    this.ground = ground;
    this.port = port;
  }

  /**
   * Opens a cache.
   *
   * @throws CodecException if this node holds some of its entries in another format
   */
  public <K, V> CacheView<K, V> open(CacheSettings<K, V> cache) {
    return open(AgreedSettings.fixed(cache));
  }

  /**
   * Opens a cache.
   *
   * @throws CodecException if this node holds some of its entries in another format
   */
  public <K, V> CacheView<K, V> open(AgreedSettings<K, V> agreed) {
    CacheSettings<K, V> cache = agreed.known();
    if (!ground.get().calls().admits(cache.name(), CacheView.format(cache))) {
      throw new CodecException(
          "Cache \"%s\" holds keys or values of another format than %s to %s: open it with the codecs that wrote it"
              .formatted(cache.name(), cache.keyCodec().format(), cache.valueCodec().format()),
          FaultScope.ofCache(cache.name()));
    }
    CacheView.Place place =
        new CacheView.Place(
            () -> ground.get().table().view().segments(),
            () -> ground.get().clock().getAsLong(),
            this::maxEntryBytes,
            this::protocol,
            port,
            task -> ground.get().user().execute(task),
            new CacheView.Patience(
                () -> ground.get().timer().nanoTime(),
                CpuContention.OF_THIS_PROCESS.allowing(settings.busyPoll().toNanos()),
                settings.operationTimeout().toNanos()),
            queues);
    return CacheView.open(
        agreed,
        place,
        new CacheView.Streams<>(
            () -> stream(agreed.toRead()),
            () -> changes(agreed.toRead()),
            requests -> SinkPlan.of(() -> sinks(cache.name()), requests)));
  }

  private <K, V> CacheStream<K, V> stream(CacheSettings<K, V> cache) {
    ChangeEnvironment changes = changeEnvironment();
    int format = CacheView.format(cache);
    return StreamPlan.over(
        changes.node(), cache, format, ChangePlan.following(changes, cache, format));
  }

  private <K, V> ChangeStream<K, V> changes(CacheSettings<K, V> cache) {
    return ChangePlan.over(changeEnvironment(), cache, CacheView.format(cache));
  }

  private ChangeEnvironment changeEnvironment() {
    Ground present = ground.get();
    return new ChangeEnvironment(environment(present), present.changes(), present.changeReaders());
  }

  private static StreamEnvironment environment(Ground present) {
    present.calls().checkOpen();
    SegmentTable now = present.table().view();
    return new StreamEnvironment(
        new StreamedTable(present.table()),
        present.calls().guarding(present.reads()),
        present.timer(),
        present.user(),
        new HashSpace(now.segments(), now.hashSeed()),
        now.clusterId(),
        present.table()::nameOf,
        present.clock(),
        present.streamMemory(),
        present.calls()::streamObserver);
  }

  /** What a sink uses, all of it of one life: a sink ends with the life in which it was made. */
  private SinkEnvironment sinks(String cache) {
    Ground present = ground.get();
    present.calls().checkOpen();
    CurrentTable table = present.table();
    return new SinkEnvironment(
        cache,
        () -> {
          SegmentTable now = table.view();
          return new HashSpace(now.segments(), now.hashSeed());
        },
        segment -> primary(table.orNull(), segment),
        table::nameOf,
        present.calls(),
        present.timer(),
        present.user(),
        present.calls()::whenEnded,
        present.ingest(),
        present.random()::nextLong);
  }

  private static NodeId primary(@Nullable SegmentTable now, int segment) {
    return now == null || now.ownerCount(segment) == 0
        ? SinkEnvironment.NOBODY
        : now.owner(segment, 0);
  }

  /**
   * The cluster's largest sum of encoded key and value. The setting of a node that holds nothing
   * may be another one.
   */
  public int maxEntryBytes() {
    SegmentTable now = ground.get().table().orNull();
    return now == null ? settings.maxEntryBytes() : now.header().maxEntryBytes();
  }

  /** The version of the protocol that all members know; that of this node before it has joined. */
  private int protocol() {
    SegmentTable now = ground.get().table().orNull();
    return now == null ? ProtocolVersions.OWN.newest() : now.header().protocol();
  }
}
