package dev.headrace.benchmarks.pull;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The last batch races the cancel: it is handed over or not, and given back once. */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled before")
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled between the entries")
@Outcome(id = "2, 0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled before the end")
@Outcome(id = "2, 1, 1", expect = Expect.ACCEPTABLE, desc = "cancelled after the end")
@Outcome(expect = Expect.FORBIDDEN, desc = "a buffer leaked or was given back twice")
@State
public class CancelRace {

  private final RacedStream stream = new RacedStream();

  /** A stream that has asked its node. */
  public CancelRace() {
    stream.publisher().subscribe(stream);
    stream.request(Long.MAX_VALUE);
  }

  /** The wire. */
  @Actor
  public void answer() {
    stream.answer();
  }

  /** The subscriber. */
  @Actor
  public void cancel() {
    stream.cancel();
  }

  /** What came of it. */
  @Arbiter
  public void outcome(III_Result result) {
    result.r1 = stream.entries();
    result.r2 = stream.ends();
    result.r3 = stream.releases();
  }
}
