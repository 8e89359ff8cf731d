package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A cluster by the name of "mill" with 16 segments of two owners, in a calm simulation. */
final class Mill {

  static final ClusterTerms TERMS = new ClusterTerms("mill", 16, 2, 100, OptionalLong.empty());

  private Mill() {}

  static List<AgreementNode> written(Simulation cluster, int count) {
    List<AgreementNode> nodes = Stream.generate(() -> started(cluster, 1)).limit(count).toList();
    nodes.get(0).agreement.requestFirstWrite(nodes.get(0).nowNanos());
    cluster.run(1000);
    assertOneTable(nodes);
    return nodes;
  }

  static AgreementNode started(Simulation cluster, double capacity) {
    AgreementNode node = cluster.start(TERMS, capacity);
    cluster.run(1000);
    return node;
  }

  static void assertOneTable(List<AgreementNode> nodes) {
    SegmentTable table = nodes.get(0).table;
    List<Member> members = nodes.stream().map(node -> node.member).toList();
    assertThat(nodes).allSatisfy(node -> assertThat(node.table).isEqualTo(table));
    assertThat(table.members()).containsAll(members);
  }

  /** What a coordinator sends to somebody who stores nothing of it. */
  static Append withoutTables(Append append) {
    return new Append(
        append.viewMark(),
        append.ballot(),
        append.askedNanos(),
        append.echoNanos(),
        append.newestEpoch(),
        append.inForceEpoch(),
        -1,
        null,
        List.of());
  }

  static long primaries(AgreementNode node) {
    return IntStream.range(0, 16)
        .filter(segment -> node.table.isPrimary(segment, node.id()))
        .count();
  }

  static ClusterTerms limited(int maxEntryBytes) {
    return new ClusterTerms("mill", 16, 2, maxEntryBytes, OptionalLong.empty());
  }

  static ClusterTerms terms(String name, int segments, int owners, OptionalLong seed) {
    return new ClusterTerms(name, segments, owners, 100, seed);
  }
}
