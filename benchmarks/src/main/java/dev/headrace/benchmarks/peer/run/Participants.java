package dev.headrace.benchmarks.peer.run;

import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The systems that take part in one run. Those that cannot run here are left out, and told of. */
public final class Participants {

  private final Set<Contender> taking = EnumSet.noneOf(Contender.class);

  /**
   * Looks what takes part.
   *
   * @param systems those that the comparison has
   */
  public Participants(List<Contender> systems, Options options, Results results) {
    for (Contender contender : systems) {
      if (!options.includes(contender.label())) {
        continue;
      }
      contender
          .missing()
          .ifPresentOrElse(
              reason -> {
                System.err.println(contender.label() + " is left out: " + reason);
                results.version(contender.label(), "left out: " + reason);
              },
              () -> {
                taking.add(contender);
                results.version(contender.label(), contender.version());
              });
    }
  }

  /** Whether this system takes part. */
  public boolean includes(Contender contender) {
    return taking.contains(contender);
  }
}
