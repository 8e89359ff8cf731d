package dev.headrace.benchmarks.migration;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.partition.MigrationInfo;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import com.hazelcast.internal.partition.impl.MigrationInterceptor;
import com.hazelcast.map.IMap;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.benchmarks.peer.system.HazelcastSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Hazelcast, with the interceptor on its master that its own test used.
 *
 * <p>Joins are held back by the cluster state {@code NO_MIGRATION}; the change to {@code ACTIVE}
 * sets everything off at once. One owner more than there are backups. Migrations run in parallel at
 * the number per member that its documentation gives as the default.
 */
final class HazelcastCluster implements GrowingCluster {

  private static final String MAP = "bench";
  private static final int LOAD_BATCH_ENTRIES = 1000;

  private final JoinCase shape;
  private final int[] ports;
  private final List<HazelcastInstance> nodes = new ArrayList<>();
  private final MigrationLog log = new MigrationLog();

  private HazelcastCluster(JoinCase shape) {
    this.shape = shape;
    this.ports = LoopbackPorts.free(shape.members());
  }

  static String version() {
    return BuildInfoProvider.getBuildInfo().getVersion();
  }

  static HazelcastCluster found(JoinCase shape) {
    HazelcastCluster cluster = new HazelcastCluster(shape);
    cluster.start();
    cluster.load();
    return cluster;
  }

  private void start() {
    if (nodes.isEmpty()) {
      HazelcastSettings.openPackages();
    }
    Config config = HazelcastSettings.loopback(ports, nodes.size());
    config.setProperty("hazelcast.partition.count", Integer.toString(shape.segments()));
    HazelcastSettings.map(config, MAP, shape.owners() - 1);
    nodes.add(Hazelcast.newHazelcastInstance(config));
  }

  private void load() {
    IMap<String, byte[]> map = nodes.get(0).getMap(MAP);
    Entries entries = new Entries(shape.entries(), shape.valueBytes());
    entries.inBatches(LOAD_BATCH_ENTRIES, map::putAll);
  }

  @Override
  public HarnessMessage grow() {
    HazelcastInstance master = nodes.get(0);
    if (shape.held()) {
      change(master, ClusterState.NO_MIGRATION);
    }
    InternalPartitionServiceImpl partitions = partitions(master);
    partitions.setMigrationInterceptor(new MasterMigrations());
    while (nodes.size() < shape.members()) {
      start();
    }
    Waiting.until(
        "Hazelcast's members to see each other",
        () ->
            nodes.stream()
                .allMatch(node -> node.getCluster().getMembers().size() == shape.members()));
    if (shape.held()) {
      change(master, ClusterState.ACTIVE);
    }
    Waiting.until("Hazelcast's migrations to start", () -> log.migrations() > 0);
    boolean complete =
        Waiting.within(shape.limitSeconds(), () -> !partitions.hasOnGoingMigrationLocal());
    return log.addTo(HarnessMessage.of("grown")).with("complete", complete);
  }

  private static void change(HazelcastInstance master, ClusterState state) {
    Waiting.until("Hazelcast's cluster state " + state, () -> changed(master, state));
  }

  private static boolean changed(HazelcastInstance master, ClusterState state) {
    try {
      master.getCluster().changeClusterState(state);
      return true;
    } catch (IllegalStateException e) {
      return false; // what a join sets off is not over yet
    }
  }

  private static InternalPartitionServiceImpl partitions(HazelcastInstance instance) {
    return ((HazelcastInstanceProxy) instance).getOriginal().node.partitionService;
  }

  @Override
  public void close() {
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).getLifecycleService().terminate();
    }
  }

  /** Notes what the master does; the same hook that Hazelcast's own test used. */
  private final class MasterMigrations implements MigrationInterceptor {

    @Override
    public void onMigrationStart(MigrationParticipant participant, MigrationInfo migration) {
      if (participant == MigrationParticipant.MASTER) {
        log.begun(migration.getUid(), System.nanoTime());
      }
    }

    @Override
    public void onMigrationComplete(
        MigrationParticipant participant, MigrationInfo migration, boolean success) {
      if (participant != MigrationParticipant.MASTER) {
        return;
      }
      if (success) {
        log.done(migration.getUid(), System.nanoTime());
      } else {
        log.failed(migration.getUid());
      }
    }
  }
}
