package dev.headrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.node.HeadraceNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(240)
final class TestClusterTest {
  private static final int ENTRIES = 5_000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @RegisterExtension static final TestCluster SHARED = TestCluster.of(3);

  private static Map<String, String> entries() {
    Map<String, String> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-" + i, "value-" + i);
    }
    return entries;
  }

  private static Cache<String, String> words(Headrace node) {
    return node.cache("words", String.class, String.class);
  }

  private static Map<String, String> content(Headrace node) {
    return new HashMap<>(words(node).asMap());
  }

  private static TestCluster filled(int nodes) {
    TestCluster cluster =
        TestCluster.of(nodes, settings -> settings.operationTimeout(PATIENCE)).start();
    words(cluster.node(0)).putAll(entries());
    return cluster;
  }

  @Test
  void nodesFormOneClusterThatIsSettled() {
    assertThat(SHARED.nodes()).hasSize(3);
    for (Headrace node : SHARED.nodes()) {
      assertThat(node.status().members()).hasSize(3);
      assertThat(node.status().suspendedBecause()).isNull();
    }
    words(SHARED.node(0)).put("a", "b");
    assertThat(words(SHARED.node(2)).get("a")).isEqualTo("b");
  }

  @Test
  void aTestMayHaveTheClusterAndItsFirstNodeAsParameters(TestCluster cluster, Headrace node) {
    assertThat(cluster).isSameAs(SHARED);
    assertThat(node).isSameAs(SHARED.node(0));
  }

  @Nested
  final class Inner {
    @Test
    void aNestedClassHasTheClusterOfTheOuterOne() {
      assertThat(SHARED.nodes()).hasSize(3);
    }
  }

  @Test
  void aClusterCanBeUsedWithoutJUnit() {
    TestCluster used = TestCluster.of(2, settings -> settings.segments(16));
    Headrace first;
    try (TestCluster cluster = used) {
      first = cluster.node(0);
      cluster.cache("words", String.class, String.class).put("a", "b");
      assertThat(words(cluster.node(1)).get("a")).isEqualTo("b");
      assertThat(first.status().segments()).isEqualTo(16);
    }
    assertThatThrownBy(first::status).isInstanceOf(NodeClosedException.class);
  }

  @Test
  void nothingIsLostWithAKilledNode() {
    try (TestCluster cluster = filled(3)) {
      Headrace victim = cluster.node(1);
      cluster.kill(victim);
      cluster.settle();
      assertThatThrownBy(victim::status).isInstanceOf(NodeClosedException.class);
      assertThat(cluster.nodes()).containsExactly(cluster.node(0), cluster.node(2));
      assertThat(content(cluster.node(2))).isEqualTo(entries());
    }
  }

  @RepeatedTest(5)
  void whatASettledClusterHasSurvivesTheNextCrash() {
    try (TestCluster cluster =
        TestCluster.of(2, settings -> settings.splitPolicy(SplitPolicy.ALLOW)).start()) {
      words(cluster.node(0)).putAll(entries());
      cluster.kill(cluster.node(1));
      cluster.settle();
      Headrace added = cluster.add();
      cluster.settle();
      cluster.kill(cluster.node(0));
      cluster.settle();
      assertThat(content(added)).isEqualTo(entries());
    }
  }

  @Test
  void segmentsMoveToAnAddedNodeUntilTheClusterIsSettled() {
    try (TestCluster cluster = filled(2)) {
      Headrace added = cluster.add();
      cluster.settle();
      assertThat(added.status().members())
          .hasSize(3)
          .allSatisfy(
              member ->
                  assertThat(member.primarySegments() + member.backupSegments())
                      .isBetween(170, 171));
      assertThat(content(added)).isEqualTo(entries());
    }
  }

  @Test
  void aNodeThatLeavesInOrderIsNotWaitedFor() {
    try (TestCluster cluster = filled(3)) {
      cluster.node(2).close();
      cluster.settle();
      assertThat(cluster.node(0).status().members()).hasSize(2);
      assertThat(content(cluster.node(0))).isEqualTo(entries());
    }
  }

  @Test
  void aPausedNodeDoesNothingAndIsNotOutOfDateAfterwards() throws Exception {
    try (TestCluster cluster = filled(3)) {
      Headrace slow = cluster.node(1);
      cluster.pause(slow);
      CompletableFuture<?> write = words(slow).async().put("key-2", "late");
      cluster.settle();
      assertThat(cluster.node(0).status().members()).hasSize(2);
      assertThat(slow.status().members()).as("it has not noticed").hasSize(3);
      words(cluster.node(2)).put("key-1", "new");
      assertThat(write).isNotDone();

      cluster.resume(slow);
      cluster.settle();
      if (hasHappened(write)) {
        assertThat(words(cluster.node(2)).get("key-2")).isEqualTo("late");
      }
      words(slow).put("key-2", "later");
      assertThat(words(cluster.node(2)).get("key-2")).isEqualTo("later");
      assertThat(words(slow).get("key-1")).isEqualTo("new");
      assertThat(slow.status().members()).hasSize(3);
    }
  }

  /** Whether a write has happened; nobody can tell if its node was excluded before the answer. */
  private static boolean hasHappened(CompletableFuture<?> write) throws Exception {
    try {
      write.get(1, TimeUnit.MINUTES);
      return true;
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(OutcomeUnknownException.class);
      return false;
    }
  }

  @Test
  void aPausedNodeCanBeKilled() {
    try (TestCluster cluster = filled(3)) {
      cluster.pause(cluster.node(0));
      cluster.kill(cluster.node(0));
      cluster.settle();
      assertThat(content(cluster.node(1))).isEqualTo(entries());
    }
  }

  @Test
  void aShortCutDelaysWritesAndLosesNothing() throws Exception {
    try (TestCluster cluster = filled(2)) {
      cluster.cut(cluster.node(0), cluster.node(1));
      CompletableFuture<?>[] writes = new CompletableFuture<?>[200];
      for (int i = 0; i < writes.length; i++) {
        writes[i] = words(cluster.node(0)).async().put("cut-" + i, "x");
      }
      assertThat(CompletableFuture.allOf(writes)).isNotDone(); // each needs both nodes
      cluster.heal(cluster.node(0), cluster.node(1));
      CompletableFuture.allOf(writes).get(1, TimeUnit.MINUTES);
      cluster.settle();
      assertThat(words(cluster.node(1)).get("cut-199")).isEqualTo("x");
    }
  }

  @Test
  void theOthersGoOnWithoutANodeThatIsCutOff() {
    try (TestCluster cluster =
        TestCluster.of(3, settings -> settings.operationTimeout(Duration.ofSeconds(30)))) {
      words(cluster.node(0)).putAll(entries());
      Headrace alone = cluster.node(2);
      cluster.isolate(alone);
      cluster.settle();
      words(cluster.node(0)).put("key-1", "new");
      assertThat(cluster.node(0).status().members()).hasSize(2);
      assertThatThrownBy(() -> words(alone).put("key-1", "lost"))
          .isInstanceOf(UnavailableException.class);

      cluster.heal();
      cluster.settle();
      assertThat(words(alone).get("key-1")).isEqualTo("new");
      assertThat(content(alone)).hasSize(ENTRIES);
    }
  }

  @Test
  void whatAnOwnerOutOfReachDoesNotHaveIsItsLag() throws Exception {
    try (TestCluster cluster = filled(2)) {
      cluster.settle();
      HeadraceNode node = HeadraceNode.of(cluster.node(0));
      cluster.cut(cluster.node(0), cluster.node(1));
      CompletableFuture<?>[] writes = new CompletableFuture<?>[200];
      for (int i = 0; i < writes.length; i++) {
        writes[i] = words(cluster.node(0)).async().put("lag-" + i, "x");
      }
      await(() -> node.replicationLag() > 0);
      cluster.heal(cluster.node(0), cluster.node(1));
      CompletableFuture.allOf(writes).get(1, TimeUnit.MINUTES);
      await(() -> node.replicationLag() == 0);
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).as("waited too long").isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void whatIsNotSettledIsNamed() {
    try (TestCluster cluster = filled(3)) {
      cluster.pause(cluster.node(2));
      assertThatThrownBy(() -> cluster.settle(Duration.ZERO))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("not settled after PT0S")
          .hasMessageContaining("node-0 knows 3 nodes, but 2 run");
    }
  }

  @Test
  void nobodyIsSettledWhereNoNodeReachesAnother() {
    try (TestCluster cluster = TestCluster.of(2).start()) {
      cluster.cut(cluster.node(0), cluster.node(1));
      assertThatThrownBy(() -> cluster.settle(Duration.ZERO))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("no node runs that reaches another one");
    }
  }

  @Test
  void aNodeThatHasEndedCannotBePaused() {
    try (TestCluster cluster = TestCluster.of(1).start()) {
      Headrace ended = cluster.node(0);
      cluster.kill(ended);
      assertThatThrownBy(() -> cluster.pause(ended))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("node-0 has ended");
    }
  }

  @Test
  void faultsAreForNodesOfTheCluster() {
    assertThatThrownBy(() -> TestCluster.of(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one node");
    try (TestCluster other = TestCluster.of(1)) {
      assertThatThrownBy(() -> SHARED.kill(other.node(0)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Not a node of this cluster: node-0");
    }
    assertThatThrownBy(() -> SHARED.cut(SHARED.node(0), SHARED.node(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("itself");
  }
}
