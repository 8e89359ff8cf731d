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
    RuntimeException ended = new IllegalStateException("Forked VM failed with exit code 3");
    RunnerException thrown = new RunnerException("Benchmark caught the exception", ended);
    assertThat(JmhRounds.isOfWrongContent(thrown)).isFalse();
    assertThat(JmhRounds.reason(thrown)).contains("exit code 3");
  }
}
