package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HelloExchangeTest {
  private static final Member SELF = new Member(new NodeId(1, 1), "one", "::1", 1, "", 1);
  private static final NodeId STRANGER = new NodeId(2, 2);
  private static final NodeId OTHER = new NodeId(3, 3);
  private static final SegmentTable WRITTEN =
      SegmentTable.of(new TableHeader(9, 8, 7, 6, 2, 1, 5), List.of(SELF), new int[][] {{0}, {0}});

  private final Acceptor own = new Acceptor(new Lease(100), (delta, table) -> true);
  private final HelloExchange hellos =
      new HelloExchange(AgreementSettings.of(SELF, Mill.TERMS, SplitPolicy.DENY));

  @Test
  void whoHasBeenToldOfDataIsNotToldLaterThatThereWereNone() {
    enter(1);
    own.begin(WRITTEN);
    assertThat(isWritten(hellos.hello(STRANGER, false))).as("at its entry").isFalse();

    Hello presented = hellos.present(STRANGER, own);
    Hello repeated = hellos.hello(STRANGER, false);
    assertThat(isWritten(presented)).isTrue();
    assertThat(repeated.sequence()).isGreaterThan(presented.sequence());
    assertThat(isWritten(repeated)).as("what is repeated").isTrue();
    assertThat(isWritten(hellos.hello(OTHER, false)))
        .as("the others hear what it had at its entry")
        .isFalse();
  }

  @Test
  void whatWasSaidInOneViewIsOverInTheNext() {
    enter(1);
    own.begin(WRITTEN);
    hellos.present(STRANGER, own);
    enter(2);
    Hello repeated = hellos.hello(STRANGER, false);
    assertThat(hellos.isOf(repeated.viewMark())).isTrue();
  }

  @Test
  void whoHasGoneOnToTheNextViewHasGreetedInThisOne() {
    enter(1);
    hellos.greeted(OTHER, hello(1, 1));
    hellos.greeted(OTHER, hello(2, 2));
    assertThat(hellos.hasGreeted(OTHER)).as("here").isTrue();
    assertThat(hellos.silent()).containsExactly(STRANGER);

    enter(2);
    assertThat(hellos.hasGreeted(OTHER)).as("in the next one, beforehand").isTrue();
    enter(3);
    assertThat(hellos.hasGreeted(OTHER)).isFalse();
  }

  private static Hello hello(long sequence, long viewMark) {
    return new Hello(sequence, viewMark, SELF, Mill.TERMS, null, null, 0, false, false);
  }

  private void enter(long number) {
    hellos.enter(new MemberView(number, List.of(SELF.id(), STRANGER, OTHER)), own, 0);
  }

  private static boolean isWritten(Hello hello) {
    return hello.inForce() != null && hello.inForce().firstWrite() != 0;
  }
}
