package dev.headrace.benchmarks.pull;

import dev.headrace.api.stream.CloseableIterator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The answer races an iterator that begins to wait; were its wake-up lost, the test would hang. */
@JCStressTest
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "all entries, one release")
@Outcome(expect = Expect.FORBIDDEN, desc = "an entry or a buffer was lost")
@State
public class WakeUpRace {

  private final RacedStream stream = new RacedStream();
  private final CloseableIterator<String> iterator = stream.publisher().iterator();

  /** The wire, as soon as it was asked. */
  @Actor
  public void answer() {
    while (!stream.isAsked()) {
      Thread.onSpinWait();
    }
    stream.answer();
  }

  /** The iterator's thread. */
  @Actor
  public void pull(II_Result result) {
    while (iterator.hasNext()) {
      iterator.next();
      result.r1++;
    }
    result.r2 = stream.releases();
  }
}
