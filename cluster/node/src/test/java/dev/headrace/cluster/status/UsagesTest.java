package dev.headrace.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.message.UsageNotice;
import dev.headrace.cluster.node.Images;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class UsagesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Member SELF = member(1);
  private static final Member OTHER = member(2);
  private static final SegmentTable TABLE =
      SegmentTable.of(
          new TableHeader(1, 2, 3, 4, 1, 1, 100, "by-hand"),
          List.of(SELF, OTHER),
          new int[][] {{0}});

  private final List<NodeId> told = new ArrayList<>();
  private UsageNotice own = new UsageNotice(100, 0, 0, 0, 0, 0);
  private final Usages usages =
      new Usages(
          SELF.id(),
          new Transport() {
            @Override
            public void send(NodeId to, Message message) {
              assertThat(message).isEqualTo(own);
              told.add(to);
            }
          },
          () -> own,
          0);

  @Test
  void newcomersAreToldAtOnceAndOthersWhenSomethingHasChanged() {
    usages.tick(0);
    assertThat(told).as("nobody is known").isEmpty();
    Images.install(usages, TABLE);
    usages.tick(1);
    assertThat(told).containsExactly(OTHER.id());
    for (int seconds = 1; seconds < 10; seconds++) {
      usages.tick(seconds * SECOND);
    }
    assertThat(told).as("nothing is new").hasSize(Usages.TELLINGS);
    own = new UsageNotice(100, 50, 2, 0, 60, 0);
    usages.tick(10 * SECOND);
    usages.tick(10 * SECOND + 1);
    assertThat(told).hasSize(Usages.TELLINGS + 1);
  }

  @Test
  void whatMembersToldIsKnownAsLongAsTheyAreMembers() {
    UsageNotice notice = new UsageNotice(10, 5, 1, 0, 7, 9);
    Images.install(usages, TABLE);
    assertThat(usages.of(OTHER.id())).isNull();
    usages.heard(OTHER.id(), notice);
    usages.heard(new NodeId(0, 9), notice);
    assertThat(usages.of(OTHER.id())).isEqualTo(notice);
    assertThat(usages.of(SELF.id())).isEqualTo(own);
    assertThat(usages.of(new NodeId(0, 9))).isNull();
    Images.install(usages, TABLE.withoutMembers(2, Set.of(OTHER.id())));
    assertThat(usages.of(OTHER.id())).isNull();
  }

  private static Member member(int id) {
    return new Member(new NodeId(0, id), "node-" + id, "127.0.0.1", 7000 + id, "", 1);
  }
}
