package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.ClusterStatus.Member;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StatusReportTest {
  private static final ClusterStatus.StreamMemory STREAMS =
      new ClusterStatus.StreamMemory(64 << 20, 0, 0, 0);
  private static final String PLACEMENT = "levelled-rendezvous";
  private static final Member A =
      new Member(
          "alpha",
          "127.0.0.1:4001",
          "cellar",
          1,
          128,
          128,
          new ClusterStatus.Memory(1_500_000, 64_000_000),
          true,
          false);
  private static final Member B =
      new Member("b", "127.0.0.1:40022", "", 1.5, 128, 128, null, false, false);
  private static final Member CLIENT =
      new Member("status-1", "127.0.0.1:4003", "", 0, 0, 0, null, false, true);

  @Test
  void theTableLeavesOutTheNodeThatAsks() {
    ClusterStatus status = status(A, B, CLIENT);
    assertThat(new StatusReport(status).table(false))
        .isEqualTo(
            """
            Cluster "test": epoch 0.7, 256 segments, 2 owners each, placed by
              levelled-rendezvous, protocol 1

              node     address          zone    weight  primary  backup             memory
              alpha *  127.0.0.1:4001   cellar       1      128     128  1.5 MB of 64.0 MB
              b        127.0.0.1:40022  -          1.5      128     128                  -

            * is the coordinator. No segment is lost.\
            """);
  }

  @Test
  void aRebalanceIsShownWithWhatRemains() {
    ClusterStatus.Rebalance moving =
        new ClusterStatus.Rebalance(
            84,
            84,
            21,
            16,
            5_000_000,
            Duration.ofSeconds(2),
            Duration.ofSeconds(6),
            List.of(new ClusterStatus.Move(17, "alpha", List.of("b", "c"), true)));
    ClusterStatus status = status(moving, null, A, B);
    assertThat(new StatusReport(status).table(false))
        .endsWith(
            """
            Rebalancing: 21 of 84 replicas copied (at least 84 are needed), 16 under way,
              5.0 MB; 2.0 s so far, about 6.0 s left\
            """);
    assertThat(new StatusReport(status).json().replaceAll("\\s", ""))
        .contains("\"plannedCopies\":84")
        .contains(
            "\"moves\":[{\"segment\":17,\"source\":\"alpha\",\"destinations\":[\"b\",\"c\"],"
                + "\"copied\":true}]");
  }

  @Test
  void aPartThatMayNotGoOnSaysWhomItMisses() {
    ClusterStatus status = status(null, "Node alpha is missing", A, B);
    assertThat(new StatusReport(status).table(false))
        .endsWith("Node alpha is missing.\n* is the coordinator. No segment is lost.");
    assertThat(new StatusReport(status).json())
        .contains("\"suspendedBecause\" : \"Node alpha is missing\"");
  }

  @Test
  void theLastRebalanceIsToldInOneLine() {
    ClusterStatus.Rebalance moved =
        new ClusterStatus.Rebalance(84, 84, 84, 0, 5_000_000, Duration.ofSeconds(2), Duration.ZERO);
    ClusterStatus status = status(moved, null, A, B);
    assertThat(new StatusReport(status).table(false))
        .endsWith("The last rebalance copied 84 replicas (at least 84 needed), 5.0 MB in 2.0 s.");
  }

  @Test
  void fewerOwnersThanConfiguredAndLostSegmentsAreSaid() {
    List<Integer> lost = IntStream.range(0, 100).boxed().toList();
    ClusterStatus status =
        new ClusterStatus(
            "test", 7, 256, 3, 1, PLACEMENT, lost, List.of(A), null, null, STREAMS, Duration.ZERO);
    assertThat(new StatusReport(status).table(false).replaceAll("\\s+", " "))
        .contains("1 owner each (3 configured; start more nodes)")
        .contains("100 of 256 segments are LOST")
        .contains(" 14 15 ...");
  }

  @Test
  void replicasThatAreMissingOrNotInSyncAreSaid() {
    Member filling =
        new Member(
            "d", "127.0.0.1:4006", "", 1, 0, 3, null, false, false, null, 0, 0, 2, List.of(7, 9));
    ClusterStatus status =
        new ClusterStatus(
            "test",
            7,
            256,
            2,
            2,
            PLACEMENT,
            List.of(),
            List.of(A, filling),
            null,
            null,
            STREAMS,
            Duration.ZERO,
            List.of(),
            "none",
            5,
            7);
    assertThat(new StatusReport(status).table(false))
        .endsWith("\nReplicas missing: 5.\nReplicas not in sync yet: 2 of d.");
  }

  @Test
  void jsonHasEverything() {
    ClusterStatus status =
        new ClusterStatus(
            "a \"b\"",
            7,
            256,
            2,
            1,
            PLACEMENT,
            List.of(3, 4),
            List.of(A, CLIENT),
            null,
            null,
            STREAMS,
            Duration.ZERO);
    assertThat(new StatusReport(status).json().replaceAll("\\s", ""))
        .isEqualTo(
            "{\"cluster\":\"a\\\"b\\\"\",\"epoch\":\"0.7\",\"protocol\":1,\"segments\":256,\"configuredOwners\":2,"
                + "\"effectiveOwners\":1,\"missingReplicas\":0,\"placement\":\"levelled-rendezvous\",\"security\":\"none\","
                + "\"suspendedBecause\":null,\"clockErrorMillis\":0.0,\"lostSegments\":[3,4],"
                + "\"absent\":[],\"rebalance\":null,\"streamMemory\":{\"budgetBytes\":"
                + STREAMS.budgetBytes()
                + ",\"usedBytes\":0,\"streams\":0,\"waiting\":0},\"moves\":[],"
                + "\"members\":[{\"name\":\"alpha\",\"address\":\"127.0.0.1:4001\","
                + "\"zone\":\"cellar\",\"capacity\":1.0,\"primarySegments\":128,"
                + "\"backupSegments\":128,\"coordinator\":true,\"self\":false,"
                + "\"usedBytes\":1500000,\"limitBytes\":64000000,\"streamMemory\":null,"
                + "\"bufferBytes\":0,\"changeBytes\":0,\"outOfSyncReplicas\":0,"
                + "\"outOfSyncSegments\":[]}]}");
  }

  @Test
  void streamsOfTheNodesAreToldAndNotThoseOfTheNodeThatAsks() {
    ClusterStatus.StreamMemory used = new ClusterStatus.StreamMemory(64 << 20, 32 << 20, 5001, 2);
    Member busy =
        new Member(
            "c",
            "127.0.0.1:4004",
            "",
            1,
            0,
            0,
            null,
            false,
            false,
            used,
            40_000_000,
            5_000_000,
            0,
            List.of());
    Member asking =
        new Member("s", "127.0.0.1:4005", "", 0, 0, 0, null, false, true, used, 1, 2, 0, List.of());
    ClusterStatus status =
        new ClusterStatus(
            "test",
            7,
            256,
            2,
            2,
            PLACEMENT,
            List.of(),
            List.of(A, B, busy, asking),
            null,
            null,
            used,
            Duration.ZERO,
            List.of(),
            "tls",
            0,
            1);
    assertThat(new StatusReport(status).table(false))
        .endsWith(
            "lost.\n5,001 streams of c hold 33.6 MB of 67.1 MB; 2 wait for memory."
                + "\nChanges retained for readers: 5.0 MB on c.");
    assertThat(new StatusReport(status).json().replaceAll("\\s", ""))
        .containsOnlyOnce(
            "\"streamMemory\":{\"budgetBytes\":67108864,\"usedBytes\":33554432,\"streams\":5001,"
                + "\"waiting\":2},\"bufferBytes\":40000000,\"changeBytes\":5000000")
        .contains("\"security\":\"tls\"");
  }

  @Test
  void cachesAreListedWithTheirFormats() {
    ClusterStatus status = status(A, B);
    List<CacheStatus> caches =
        List.of(
            new CacheStatus(
                "big",
                100_000,
                3_000_000,
                6_000_000,
                "string",
                "string",
                List.of(
                    new CacheStatus.Share("alpha", 60_000, 1_800_000, 3_000_000),
                    new CacheStatus.Share("b", 40_000, 1_200_000, 3_000_000))),
            new CacheStatus(
                "quotes",
                1,
                40,
                80,
                "int",
                "record Quote(price double)",
                List.of(new CacheStatus.Share("b", 1, 40, 40))),
            new CacheStatus("strange", 0, 0, 0, null, null, List.of()));
    StatusReport report = new StatusReport(status, new CacheReport(caches, List.of(), true), true);
    assertThat(report.table(false))
        .endsWith(
            """
            No segment is lost.

              cache    entries   bytes  with copies  keys    values
              big      100,000  3.0 MB       6.0 MB  string  string
              quotes         1    40 B         80 B  int     record Quote(price double)
              strange        0     0 B          0 B  -       -\
            """);
    assertThat(report.table(true))
        .startsWith(report.table(false))
        .endsWith(
            """


              cache   node   entries   bytes  with copies
              big     alpha   60,000  1.8 MB       3.0 MB
                      b       40,000  1.2 MB       3.0 MB
              quotes  b            1    40 B         40 B\
            """);
    assertThat(report.json().replaceAll("\\s", ""))
        .contains(
            "\"caches\":[{\"name\":\"big\",\"entries\":100000,\"bytes\":3000000,"
                + "\"replicaBytes\":6000000,\"keyFormat\":\"string\"",
            "\"nodes\":[{\"name\":\"b\",\"entries\":1,\"bytes\":40,\"replicaBytes\":40}]",
            "\"missingNodes\":[],\"complete\":true");
    CacheReport partial = new CacheReport(caches, List.of("node-2", "node-3"), false);
    assertThat(new StatusReport(status, partial, true).table(false))
        .endsWith("which did not answer: node-2, node-3");
  }

  @Test
  void allLinesFitEightyColumns() {
    String name = "a-node-with-a-name-that-somebody-has-made-up";
    ClusterStatus.StreamMemory used =
        new ClusterStatus.StreamMemory(64 << 20, 32 << 20, 5_001_002, 2);
    Member far =
        new Member(
            name,
            "node-17.cache.prod.example.com:40022",
            "",
            1,
            128,
            128,
            new ClusterStatus.Memory(123_400_000, 640_000_000),
            true,
            false,
            used,
            40_000_000,
            5_000_000,
            256,
            List.of());
    ClusterStatus.Rebalance moving =
        new ClusterStatus.Rebalance(
            8_400,
            8_400,
            2_100,
            1_600,
            5_000_000,
            Duration.ofSeconds(2),
            Duration.ofSeconds(6),
            List.of());
    List<Integer> lost = IntStream.range(10_000, 10_100).boxed().toList();
    ClusterStatus status =
        new ClusterStatus(
            "a-cluster-whose-name-says-in-which-center-and-for-whom-it-runs-and-since-when-it-does",
            7,
            16_384,
            3,
            1,
            PLACEMENT,
            lost,
            List.of(far, far),
            moving,
            "This node is in a part of 1 of 3 nodes, which must not go on alone; it waits for"
                + " others",
            used,
            Duration.ZERO,
            List.of(new ClusterStatus.Absent(name, "node-17.cache.prod.example.com:4002", lost)),
            "none",
            5,
            7);

    CacheReport report = new CacheReport(List.of(wide(name)), List.of(name, name), false);
    String table = new StatusReport(status, report, true).table(true);

    assertThat(table.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    assertThat(table)
        .contains("a-node-with", "..", "123.4 MB of 640.0 MB", "123,456,789", "record Order(")
        .doesNotContain("zone", "weight");
  }

  private static CacheStatus wide(String node) {
    return new CacheStatus(
        "orders-of-all-customers-everywhere",
        123_456_789,
        3_000_000,
        6_000_000,
        "string",
        "record Order(id long, customer string, items list of record Item(sku string))",
        List.of(new CacheStatus.Share(node, 123_456_789, 3_000_000, 3_000_000)));
  }

  @Test
  void theNodesOfOtherCommandsCanBeLeftOut() {
    Member load = new Member("load-024eb7", "127.0.0.1:4004", "", 0, 0, 0, null, false, false);
    Member giveUp = new Member("give-up-7c01aa", "h:4006", "", 0, 0, 0, null, false, false);
    Member client = new Member("app", "127.0.0.1:4005", "", 0, 0, 0, null, false, false);
    ClusterStatus status = status(A, load, giveUp, client);
    assertThat(new StatusReport(status, null, true).table(false)).contains("load-024eb7", "app");
    assertThat(new StatusReport(status, null, false).table(false))
        .contains("app")
        .doesNotContain("load-024eb7", "give-up-7c01aa");
  }

  @Test
  void nodesThatHoldNothingAreNoNewsForANode() {
    MembershipChanges changes = new MembershipChanges(false);
    Member self = new Member("s", "h:1", "z", 1, 256, 0, null, true, true);
    Member visitor = new Member("o", "h:2", "", 0, 0, 0, null, false, false);
    assertThat(changes.since(status(List.of(), self))).hasSize(2);
    assertThat(changes.since(status(List.of(), self, visitor))).isEmpty();
    assertThat(changes.since(status(List.of(), self))).isEmpty();
  }

  @Test
  void membershipChangesAreToldOnce() {
    MembershipChanges changes = new MembershipChanges(true);
    Member self = new Member("s", "h:1", "z", 1, 256, 0, null, true, true);
    Member other = new Member("o", "h:2", "", 0, 0, 0, null, false, false);
    assertThat(changes.since(status(List.of(), self)))
        .containsExactly(
            "+ s at h:1, zone z (this node)",
            "  1 node holds 256 segments, 256 primaries and 0 backups here");
    assertThat(changes.since(status(List.of(), self))).isEmpty();
    assertThat(changes.since(status(List.of(), self, other)))
        .containsExactly("+ o at h:2, holds nothing");
    assertThat(changes.since(status(List.of(1, 2), self)))
        .containsExactly("- o is gone", "! 2 of 256 segments have no living owner");
  }

  private static ClusterStatus status(Member... members) {
    return status(null, null, members);
  }

  private static ClusterStatus status(
      ClusterStatus.@Nullable Rebalance rebalance,
      @Nullable String suspendedBecause,
      Member... members) {
    return status(2, List.of(), rebalance, suspendedBecause, members);
  }

  private static ClusterStatus status(List<Integer> lost, Member... members) {
    return status(1, lost, null, null, members);
  }

  private static ClusterStatus status(
      int owners,
      List<Integer> lost,
      ClusterStatus.@Nullable Rebalance rebalance,
      @Nullable String suspendedBecause,
      Member... members) {
    return new ClusterStatus(
        "test",
        7,
        256,
        2,
        owners,
        PLACEMENT,
        lost,
        List.of(members),
        rebalance,
        suspendedBecause,
        STREAMS,
        Duration.ZERO);
  }
}
