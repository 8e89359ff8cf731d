package dev.headrace.benchmarks.pull;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The answer races further demand: whichever thread drains, no wake-up is lost. */
@JCStressTest
@Outcome(id = "2, 1, 1", expect = Expect.ACCEPTABLE, desc = "all entries, one end, one release")
@Outcome(expect = Expect.FORBIDDEN, desc = "a lost wake-up, or a signal too many")
@State
public class DemandRace {

  private final RacedStream stream = new RacedStream();

  /** A stream that has asked its node, with demand for one of two entries. */
  public DemandRace() {
    stream.publisher().subscribe(stream);
    stream.request(1);
  }

  /** The wire. */
  @Actor
  public void answer() {
    stream.answer();
  }

  /** The subscriber. */
  @Actor
  public void demand() {
    stream.request(1);
  }

  /** What came of it. */
  @Arbiter
  public void outcome(III_Result result) {
    result.r1 = stream.entries();
    result.r2 = stream.ends();
    result.r3 = stream.releases();
  }
}
