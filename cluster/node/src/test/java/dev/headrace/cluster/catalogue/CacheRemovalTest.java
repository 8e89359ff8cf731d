package dev.headrace.cluster.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.message.CacheForgotten;
import dev.headrace.cluster.message.ForgetCache;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A removal whose messages the test carries. */
class CacheRemovalTest {
  private static final long PATIENCE_NANOS = 20 * CacheRemoval.RESEND_NANOS;
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private record Sent(NodeId to, Message message) {}

  private final List<Sent> sent = new ArrayList<>();
  private final List<String> forgotten = new ArrayList<>();
  private @Nullable SegmentTable table = table(ForgetCache.PROTOCOL, ONE, TWO);
  private boolean holdsEntries;
  private final CacheRemoval removal =
      new CacheRemoval(
          (to, message) -> sent.add(new Sent(to, message)),
          () -> table,
          cache -> !holdsEntries,
          PATIENCE_NANOS);

  @Test
  void endsWhenAllMembersHaveForgotten() {
    CompletableFuture<@Nullable Void> done = removal.begin("a", 0);
    assertThat(sent).containsExactly(ask(ONE, 1), ask(TWO, 1));
    removal.replied(ONE, new CacheForgotten(1, true));
    removal.replied(TWO, new CacheForgotten(7, true)); // of another removal
    assertThat(done).isNotDone();
    removal.replied(TWO, new CacheForgotten(1, true));
    assertThat(done).isCompleted();
  }

  @Test
  void asksThoseAgainThatAreSilentAndThoseThatHaveJoined() {
    CompletableFuture<@Nullable Void> done = removal.begin("a", 0);
    removal.replied(ONE, new CacheForgotten(1, true));
    NodeId three = new NodeId(0, 3);
    table = table(ForgetCache.PROTOCOL, ONE, three);
    sent.clear();
    removal.tick(CacheRemoval.RESEND_NANOS);
    assertThat(sent).containsExactly(ask(three, 1));
    table = table(ForgetCache.PROTOCOL, ONE);
    removal.tick(CacheRemoval.RESEND_NANOS + 1);
    assertThat(done).isCompleted();
  }

  @Test
  void failsWhenSomebodyWrites() {
    CompletableFuture<@Nullable Void> done = removal.begin("a", 0);
    removal.replied(ONE, new CacheForgotten(1, true));
    removal.replied(TWO, new CacheForgotten(1, false));
    removal.tick(PATIENCE_NANOS);
    assertThatThrownBy(done::join)
        .hasCauseInstanceOf(HeadraceException.class)
        .hasMessageContaining("node-2")
        .hasMessageContaining("hold entries of it again");
  }

  @Test
  void whoDropsACopyThatHasMovedOnIsAskedAgain() {
    CompletableFuture<@Nullable Void> done = removal.begin("a", 0);
    removal.replied(ONE, new CacheForgotten(1, true));
    removal.replied(TWO, new CacheForgotten(1, false));
    assertThat(done).isNotDone();
    sent.clear();
    removal.tick(CacheRemoval.RESEND_NANOS);
    assertThat(sent).containsExactly(ask(TWO, 1));
    removal.replied(TWO, new CacheForgotten(1, true));
    assertThat(done).isCompleted();
  }

  @Test
  void namesThoseThatDoNotAnswer() {
    CompletableFuture<@Nullable Void> done = removal.begin("a", 0);
    removal.replied(ONE, new CacheForgotten(1, true));
    removal.tick(PATIENCE_NANOS);
    assertThatThrownBy(done::join)
        .hasCauseInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("node-2");
  }

  @Test
  void isRefusedWhileSomeNodeDoesNotKnowHow() {
    table = table(ForgetCache.PROTOCOL - 1, ONE, TWO);
    assertThatThrownBy(removal.begin("a", 0)::join)
        .hasCauseInstanceOf(UnavailableException.class)
        .hasMessageContaining("upgrade the nodes that are left");
    assertThat(sent).isEmpty();
  }

  @Test
  void isRefusedBeforeTheFirstTableAndAfterTheEnd() {
    CompletableFuture<@Nullable Void> open = removal.begin("a", 0);
    removal.close(new NodeClosedException("closed"));
    assertThatThrownBy(open::join).hasCauseInstanceOf(NodeClosedException.class);
    assertThatThrownBy(removal.begin("b", 0)::join).hasCauseInstanceOf(NodeClosedException.class);
    table = null;
    assertThatThrownBy(removal.begin("c", 0)::join).hasCauseInstanceOf(UnavailableException.class);
  }

  @Test
  void aNodeTellsWhetherItHasForgotten() {
    removal.onForget(forgotten::add);
    removal.asked(TWO, new ForgetCache(5, "a"));
    holdsEntries = true;
    removal.asked(TWO, new ForgetCache(6, "b"));
    assertThat(sent)
        .containsExactly(
            new Sent(TWO, new CacheForgotten(5, true)),
            new Sent(TWO, new CacheForgotten(6, false)));
    assertThat(forgotten).containsExactly("a");
  }

  private static Sent ask(NodeId to, long number) {
    return new Sent(to, new ForgetCache(number, "a"));
  }

  private static SegmentTable table(int protocol, NodeId... nodes) {
    List<Member> members = new ArrayList<>();
    for (NodeId id : nodes) {
      members.add(new Member(id, "node-" + id.low(), "localhost", 1, "", 1));
    }
    TableHeader header =
        new TableHeader(Epoch.first(1, ONE), 5, 0, 7, 1, 1, 1 << 20).speaking(protocol);
    return SegmentTable.of(header, members, new int[][] {{0}});
  }
}
