package dev.headrace.cluster.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HeldTrafficTest {
  private static final NodeId ONE = new NodeId(1, 1);
  private static final NodeId TWO = new NodeId(2, 2);

  private final HeldTraffic traffic = new HeldTraffic();
  private final List<String> seen = new ArrayList<>();

  private void pass(NodeId node, String what) {
    traffic.pass(node, () -> seen.add(what), () -> seen.add("lost " + what));
  }

  @Test
  void whatIsHeldGoesOnInItsOrderWhenTheCutIsHealed() {
    traffic.cut(ONE);
    pass(ONE, "a");
    pass(ONE, "b");
    pass(TWO, "c");
    assertThat(seen).containsExactly("c");
    assertThat(traffic.held(ONE)).isEqualTo(2);
    traffic.heal(ONE);
    pass(ONE, "d");
    assertThat(seen).containsExactly("c", "a", "b", "d");
    assertThat(traffic.isCut(ONE)).isFalse();
  }

  @Test
  void whatComesWhileACutIsHealedComesAfterWhatWasHeld() {
    traffic.cut(ONE);
    traffic.pass(ONE, () -> pass(ONE, "late"), () -> {});
    pass(ONE, "held");
    traffic.heal(ONE);
    assertThat(seen).containsExactly("held", "late");
  }

  @Test
  void whatIsHeldIsLostWithTheConnectionAndTheCutStays() {
    traffic.cut(ONE);
    pass(ONE, "a");
    traffic.lose(ONE);
    pass(ONE, "b");
    assertThat(seen).containsExactly("lost a");
    traffic.heal(ONE);
    assertThat(seen).containsExactly("lost a", "b");
  }

  @Test
  void anEndedNodeHoldsNothing() {
    traffic.cut(ONE);
    pass(ONE, "a");
    traffic.end();
    traffic.cut(TWO);
    pass(ONE, "b");
    pass(TWO, "c");
    assertThat(seen).containsExactly("lost a", "b", "c");
  }
}
