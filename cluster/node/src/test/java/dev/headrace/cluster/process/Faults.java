package dev.headrace.cluster.process;

import dev.headrace.cluster.process.Findings.Count;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What is done to the processes of a fleet that are there to suffer. After each fault the cluster
 * has to become balanced again, and everybody who works has to get on with it.
 */
final class Faults {
  private static final int KINDS = 4;
  private static final Duration SHORT_PAUSE = Duration.ofSeconds(2);

  private final Fleet fleet;
  private final List<Child> workers;
  private final List<Child> victims;
  private final Map<String, Integer> lives = new HashMap<>();

  /**
   * @param workers those who write and stream; nothing happens to them
   * @param victims those to whom everything happens
   */
  Faults(Fleet fleet, List<Child> workers, List<Child> victims) {
    this.fleet = fleet;
    this.workers = workers;
    this.victims = new ArrayList<>(victims);
  }

  /** Does something to somebody. */
  void any(RandomGenerator random) throws Exception {
    int victim = random.nextInt(victims.size());
    switch (random.nextInt(KINDS)) {
      case 0 -> kill(victim, random.nextBoolean());
      case 1 -> pauseBriefly(victim);
      case 2 -> pauseUntilGivenUp(victim, Duration.ofSeconds(random.nextInt(40)));
      default -> restart(victim);
    }
  }

  /**
   * Kills a process and starts another in its place.
   *
   * @param atOnce whether the other starts before the cluster has got over the loss
   */
  void kill(int victim, boolean atOnce) throws Exception {
    Child child = victims.get(victim);
    fleet.note("kill " + child.name() + (atOnce ? ", and start another at once" : ""));
    child.close();
    fleet.forget(child);
    if (!atOnce) {
      recover();
    }
    replace(victim);
  }

  /** Stops a process for less time than it takes the others to give it up. */
  void pauseBriefly(int victim) throws Exception {
    Child child = victims.get(victim);
    fleet.note("pause " + child.name() + " for " + SHORT_PAUSE);
    child.pause();
    fleet.watch(SHORT_PAUSE);
    child.resume();
    recover();
  }

  /**
   * Stops a process until the others have given its node up and get on without it. When it goes on
   * it has to become a member again and get its share.
   *
   * @param time how long it stands still at least
   */
  void pauseUntilGivenUp(int victim, Duration time) throws Exception {
    Child child = victims.get(victim);
    fleet.note("pause " + child.name() + " until it is given up, and for " + time);
    long endNanos = System.nanoTime() + time.toNanos();
    child.pause();
    fleet.forget(child);
    recover();
    fleet.watch(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())));
    child.resume();
    fleet.note("resume " + child.name());
    fleet.remember(child);
    recover();
  }

  /** Has a node leave in order, and starts another in its place. */
  void restart(int victim) throws Exception {
    Child child = victims.get(victim);
    fleet.note("restart " + child.name());
    fleet.forget(child);
    child.leave();
    fleet.note(child.name() + " has left");
    recover();
    replace(victim);
  }

  private void replace(int victim) throws Exception {
    String place = victims.get(victim).name().replaceAll("-.*", "");
    Child next = fleet.startHolder(place + "-" + lives.merge(place, 2, (life, two) -> life + 1));
    next.awaitJoined();
    next.ask("read");
    victims.set(victim, next);
    recover();
  }

  /** Waits until the cluster is balanced and everybody gets on with what he does. */
  void recover() throws Exception {
    fleet.awaitBalanced();
    Map<Child, Map<Count, Long>> before = new HashMap<>();
    for (Child worker : workers) {
      before.put(worker, Findings.parse(worker.ask("report")));
    }
    fleet.await(
        "everybody writes and streams",
        () -> {
          for (Child worker : workers) {
            Map<Count, Long> now = Findings.parse(worker.ask("report"));
            for (Count count : List.of(Count.ACKNOWLEDGED, Count.READ, Count.STREAMED)) {
              if (now.get(count) <= before.get(worker).get(count)) {
                return worker.name() + " does not get on: " + count;
              }
            }
          }
          return null;
        });
  }
}
