package dev.headrace.benchmarks.migration;

import dev.headrace.api.Headrace;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.cluster.node.NodeTuning;

/** Headrace, with a probe in every node. */
final class HeadraceCluster implements GrowingCluster {

  /** Long enough for the slowest of the nodes that start at the same time. */
  private static final long HOLD_NANOS = 4_000_000_000L;

  private final JoinCase shape;
  private final HeadraceNodes nodes;

  private HeadraceCluster(JoinCase shape, NodeTuning tuning) {
    this.shape = shape;
    this.nodes = new HeadraceNodes(shape.segments(), shape.owners(), tuning);
  }

  static String version() {
    String version = Headrace.class.getPackage().getImplementationVersion();
    return version == null ? "built from source" : version;
  }

  /**
   * Starts the first node and fills it.
   *
   * @param fullTable whether every migration is an epoch of its own and published as an image
   */
  static HeadraceCluster found(JoinCase shape, boolean fullTable) {
    NodeTuning tuning = NodeTuning.defaults();
    if (shape.held()) {
      tuning = tuning.withHoldNanos(HOLD_NANOS);
    }
    if (fullTable) {
      tuning = tuning.withFullTables();
    }
    HeadraceCluster cluster = new HeadraceCluster(shape, tuning);
    cluster.nodes.start(1);
    cluster.nodes.load(new Entries(shape.entries(), shape.valueBytes()));
    return cluster;
  }

  @Override
  public HarnessMessage grow() {
    nodes.watch().reset();
    if (shape.held()) {
      nodes.start(shape.members() - 1);
    } else {
      while (nodes.size() < shape.members()) {
        nodes.start(1);
      }
    }
    TableWatch watch = nodes.watch();
    boolean early = shape.held() && watch.log().hasBegun();
    boolean complete = !early && nodes.awaitLevel(shape.limitSeconds());
    HarnessMessage grown =
        watch
            .log()
            .addTo(HarnessMessage.of("grown"))
            .with("complete", complete)
            .with("disturbed", early || nodes.hasLostAny());
    return watch
        .addTo(grown, shape.members() - 1)
        .with("imageBytes", TableFigures.imageBytesPerReplica(watch.table()));
  }

  @Override
  public HarnessMessage crash(HarnessMessage grown) {
    nodes.watch().reset();
    int lost = nodes.replicasOfLast();
    nodes.kill();
    if (!nodes.awaitLevel(shape.limitSeconds())) {
      throw new IllegalStateException("The segments were not level again after the crash");
    }
    MigrationLog log = nodes.watch().log();
    return grown
        .with("crashLost", lost)
        .with("crashCopies", log.migrations())
        .with("crashSeconds", (log.lastDoneNanos() - log.firstNanos()) / 1e9);
  }

  @Override
  public void close() {
    nodes.close();
  }
}
