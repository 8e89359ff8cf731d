package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.lane.KeyHistory.Step;
import dev.headrace.replication.lane.KeyHistory.Version;
import dev.headrace.replication.message.Operation.Kind;
import org.junit.jupiter.api.Test;

/** What the oracle of the simulation of writes must notice, and what it must let pass. */
class KeyHistoryTest {
  private final FirmTerms terms = new FirmTerms();
  private final Lifespans lifespans = new Lifespans();
  private final KeyHistory history = new KeyHistory(terms, lifespans);

  @Test
  void whatWasWrittenAndReadInOrderIsExplained() {
    put(1, 10, 20, 1, 1);
    read(1, 30, 40, 1, 1);
    put(2, 50, 60, 1, 2);
    read(2, 70, 80, 1, 2);
    assertThat(history.explains(2)).isTrue();
    assertThat(history.explains(1)).as("the last write is gone").isFalse();
  }

  @Test
  void aPutThatIsAppliedTwiceIsNoticed() {
    put(1, 10, 20, 1, 1);
    put(2, 30, 40, 1, 2);
    read(1, 50, 60, 1, 3);
    assertThat(history.explains(1)).isFalse();
  }

  @Test
  void aPutThatIsAppliedAgainByALaterPrimaryIsNoticedToo() {
    put(1, 10, 20, 1, 1);
    put(2, 30, 40, 1, 2);
    read(1, 50, 60, 2, 3);
    assertThat(history.explains(2)).isFalse();
  }

  @Test
  void anUnknownWriteThatIsSeenOverwrittenAndSeenAgainIsNoticed() {
    history.begin(Kind.PUT, 1, -1, 10);
    read(1, 20, 30, 1, 1);
    put(2, 40, 50, 1, 2);
    read(1, 60, 70, 1, 3);
    assertThat(history.explains(2)).isFalse();
    assertThat(history.explains(1)).isFalse();
  }

  @Test
  void anUnknownWriteMayBeSeenUndoneAndMadeAgainByALaterPrimary() {
    history.begin(Kind.PUT, 1, -1, 10);
    read(1, 20, 30, 1, 1);
    put(2, 40, 50, 2, 1);
    read(1, 60, 70, 2, 2);
    assertThat(history.explains(1)).isTrue();
  }

  @Test
  void aWriteThatWasSeenCannotBeUndoneIfALaterOneOfItsTermWasAcknowledged() {
    history.begin(Kind.PUT, 1, -1, 10);
    read(1, 20, 30, 1, 1);
    put(2, 40, 50, 1, 2);
    read(1, 60, 70, 2, 3);
    terms.acknowledged(2, 3, 80);
    assertThat(history.explains(1)).isFalse();
  }

  @Test
  void aReadMustNotShowLessThanWasAcknowledged() {
    put(1, 10, 20, 1, 1);
    put(2, 30, 40, 1, 2);
    read(1, 50, 60, 1, 1);
    assertThat(history.explains(2)).isFalse();
  }

  @Test
  void aReadMustNotMissWhatNobodyRemoved() {
    put(1, 10, 20, 1, 1);
    history.read(0, null, 30, 40);
    assertThat(history.explains(1)).isFalse();
  }

  @Test
  void aRemovalMayBeSeenAndUndone() {
    put(1, 10, 20, 1, 1);
    history.begin(Kind.REMOVE, 0, -1, 25);
    history.read(0, null, 30, 40);
    read(1, 50, 60, 1, 1);
    assertThat(history.explains(1)).isTrue();
  }

  @Test
  void aRemovalMayBeSeenAndUndoneAndFindNothingWhenLaterOwnersCarryItOut() {
    put(1, 10, 20, 1, 1);
    Step removal = history.begin(Kind.REMOVE, 0, -1, 25);
    history.read(0, null, 30, 40).ownersEpoch = 1;
    read(1, 50, 60, 1, 1);
    Step other = history.begin(Kind.REMOVE, 0, -1, 65);
    other.end = 70;
    other.answered = true;
    other.applied = true;
    removal.end = 80;
    removal.answered = true;
    removal.ownersEpoch = 2;
    assertThat(history.explains(0)).isTrue();
    removal.ownersEpoch = 1;
    assertThat(history.explains(0)).as("by the owners who had carried it out").isFalse();
  }

  @Test
  void anOwnerThatDoesNotHaveAWriteYetMayMissWhatAnotherHasShown() {
    put(1, 10, 90, 1, 1);
    read(1, 20, 30, 1, 1);
    history.read(0, null, 40, 50);
    assertThat(history.explains(1)).isTrue();
    history.read(0, null, 91, 95);
    assertThat(history.explains(1)).isFalse();
  }

  @Test
  void aLossExplainsThatAllIsGoneAndNothingElse() {
    put(1, 10, 20, 1, 1);
    history.lose(30, 40);
    put(2, 50, 60, 2, 1);
    assertThat(history.explains(2)).isTrue();
    assertThat(history.explains(1)).isFalse();
    assertThat(history.explains(0)).isFalse();
  }

  @Test
  void whatHasExpiredIsAbsentForWhoeverLooksLater() {
    lifespans.expires(1, 100);
    put(1, ms(10), ms(20), 1, 1);
    read(1, ms(98), ms(99), 1, 1);
    history.read(0, null, ms(101), ms(102));
    Step condition = answered(Kind.PUT_IF_ABSENT, 2, ms(103), ms(104), true);
    assertThat(history.explains(2)).isTrue();
    condition.applied = false;
    assertThat(history.explains(0)).as("it found what had expired").isFalse();
  }

  @Test
  void nothingExpiresBeforeItsTime() {
    lifespans.expires(1, 100);
    put(1, ms(10), ms(20), 1, 1);
    answered(Kind.REPLACE, 2, ms(98), ms(99), false);
    assertThat(history.explains(0)).isFalse();
  }

  @Test
  void whatHasExpiredIsNotRead() {
    lifespans.expires(1, 100);
    put(1, ms(10), ms(20), 1, 1);
    read(1, ms(101), ms(102), 1, 1);
    assertThat(history.explains(0)).isFalse();
  }

  @Test
  void whatHasExpiredIsNotReadEvenIfItsWriteIsStillUnderWay() {
    lifespans.expires(1, 100);
    history.begin(Kind.PUT, 1, -1, ms(10));
    read(1, ms(101), ms(102), 1, 1);
    assertThat(history.explains(0)).isFalse();
  }

  @Test
  void clocksThatAreApartExplainThatOneFindsWhatAnotherDoesNot() {
    lifespans.expires(1, 100);
    put(1, ms(10), ms(20), 1, 1);
    history.read(0, null, ms(95), ms(96));
    answered(Kind.REMOVE, 0, ms(103), ms(104), true);
    assertThat(history.explains(0)).as("by one clock").isFalse();
    lifespans.clock(4);
    lifespans.clock(-4);
    assertThat(history.explains(0)).as("by clocks 8 ms apart").isTrue();
  }

  @Test
  void anUnknownWriteThatHasExpiredMayHideWhatItWouldReplaceAndBeUndone() {
    lifespans.expires(2, 100);
    put(1, ms(10), ms(20), 1, 1);
    history.begin(Kind.PUT, 2, -1, ms(30));
    history.read(0, null, ms(101), ms(102));
    read(1, ms(110), ms(120), 1, 1);
    assertThat(history.explains(1)).isTrue();
    history.read(0, null, ms(90), ms(95));
    assertThat(history.explains(1)).as("before it has expired").isFalse();
  }

  private static long ms(long millis) {
    return millis * 1_000_000;
  }

  private Step answered(Kind kind, int value, long begin, long end, boolean applied) {
    Step step = history.begin(kind, value, -1, begin);
    step.end = end;
    step.answered = true;
    step.applied = applied;
    return step;
  }

  private void put(int value, long begin, long end, long term, long counter) {
    Step step = history.begin(Kind.PUT, value, -1, begin);
    step.end = end;
    step.answered = true;
    step.applied = true;
    history.acknowledge(value, new Version(term, counter));
    terms.acknowledged(term, counter, end);
  }

  private void read(int value, long begin, long end, long term, long counter) {
    history.read(value, new Version(term, counter), begin, end);
  }
}
