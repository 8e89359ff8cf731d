package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.RunnerException;

final class JmhRoundsTest {

  @Test
  void wrongContentIsFoundWhereverJmhPutsIt() {
    WrongContentException lost = new WrongContentException("9 of 10 entries were delivered");
    RuntimeException ofFork = new RuntimeException();
    ofFork.addSuppressed(new IllegalStateException(lost));
    RunnerException thrown = new RunnerException("Benchmark caught the exception", ofFork);
    assertThat(JmhRounds.isOfWrongContent(thrown)).isTrue();
    assertThat(JmhRounds.reason(thrown)).contains("9 of 10 entries were delivered");
  }

  @Test
  void aForkThatEndedOtherwiseMayBeTriedAgain() {
    RunnerException thrown = ended("Forked VM failed with exit code 1");
    assertThat(JmhRounds.isOfWrongContent(thrown)).isFalse();
    assertThat(JmhRounds.hasNoRoom(thrown)).isFalse();
    assertThat(JmhRounds.reason(thrown)).contains("exit code 1");
  }

  @Test
  void aForkThatRanOutOfMemoryOrTimeHasNoRoom() {
    assertThat(JmhRounds.hasNoRoom(ended("Forked VM failed with exit code 3"))).isTrue();
    assertThat(JmhRounds.hasNoRoom(ended("Forked VM failed with exit code 13"))).isFalse();
  }

  private static RunnerException ended(String how) {
    return new RunnerException("Benchmark caught the exception", new IllegalStateException(how));
  }
}
