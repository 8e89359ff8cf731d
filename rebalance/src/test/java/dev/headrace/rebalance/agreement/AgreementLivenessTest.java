package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * One fault at a time, in a network that does what it should: those that keep a quorum may answer
 * again within a budget from when the membership protocol has noticed, and then at every moment.
 * Replay a seed with {@code -Dheadrace.seed=N}, run more with {@code -Dheadrace.seeds=N}.
 */
final class AgreementLivenessTest {
  private static final int SEEDS = Integer.getInteger("headrace.seeds", 150);
  private static final Long ONLY = Long.getLong("headrace.seed");

  /** Views arrive within 100 ms; then a few messages, each of which takes up to 40 ms. */
  private static final int BUDGET_MILLIS = 1_000;

  /** After a fault is over; what was said of pairs is over a second later. */
  private static final int HEAL_MILLIS = 3_000;

  private static final int OBSERVED_MILLIS = 4_000;

  @Test
  void whoeverHasAQuorumAnswersAgainSoonAfterAnyFault() {
    long first = ONLY == null ? 0 : ONLY;
    for (long seed = first; seed < (ONLY == null ? SEEDS : ONLY + 1); seed++) {
      try {
        live(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + " fails", e);
      }
    }
  }

  private static void live(Random random) {
    Simulation cluster = Simulation.calm(SplitPolicy.DENY);
    List<AgreementNode> data = new ArrayList<>(Mill.written(cluster, 3 + random.nextInt(4)));
    List<AgreementNode> clients = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      clients.add(Mill.started(cluster, 0));
    }
    for (int fault = 0; fault < 3; fault++) {
      List<AgreementNode> those = suffer(cluster, random, data, clients);
      cluster.run(BUDGET_MILLIS);
      for (int i = 0; i < OBSERVED_MILLIS / 20; i++) {
        cluster.run(20);
        assertThat(those).allMatch(AgreementNode::serves).noneMatch(AgreementNode::isSuspended);
      }
      cluster.heal();
      cluster.run(HEAL_MILLIS);
      data.removeIf(node -> !node.isUp());
      clients.removeIf(node -> !node.isUp());
      assertThat(data).allMatch(AgreementNode::serves).noneMatch(AgreementNode::isSuspended);
    }
  }

  /** Lets something happen; returns who has to go on. */
  private static List<AgreementNode> suffer(
      Simulation cluster, Random random, List<AgreementNode> data, List<AgreementNode> clients) {
    List<AgreementNode> left = new ArrayList<>(data);
    AgreementNode victim = data.get(random.nextInt(data.size()));
    switch (random.nextInt(6)) {
      case 0 -> {
        if (data.size() > 2) {
          cluster.crash(victim);
          left.remove(victim);
        }
      }
      case 1 -> left = cutOff(cluster, random, data);
      case 2 -> {
        clients.forEach(client -> cluster.hang(client, 3_000));
        data.add(cluster.start(1));
      }
      case 3 -> {
        cluster.foreigner();
        data.add(cluster.start(1));
      }
      case 4 -> {
        if (!clients.isEmpty()) {
          cluster.crash(clients.get(0));
        }
        clients.add(cluster.start(0));
      }
      default -> {
        AgreementNode other = data.get(random.nextInt(data.size()));
        if (other != victim) {
          cluster.brokenPairs.add(Set.of(victim.id(), other.id()));
          cluster.run(1_000); // until it is known well enough
          left.remove(victim);
          left.remove(other);
        }
      }
    }
    return left;
  }

  private static List<AgreementNode> cutOff(
      Simulation cluster, Random random, List<AgreementNode> data) {
    int many = 1 + random.nextInt((data.size() - 1) / 2);
    List<AgreementNode> left = new ArrayList<>(data);
    List<AgreementNode> away = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      away.add(left.remove(random.nextInt(left.size())));
    }
    cluster.cutOff(away.toArray(AgreementNode[]::new));
    return left;
  }
}
