package dev.headrace.cluster.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fleet in namespaces, under load, to which a network fault happens: those who keep the quorum
 * are watched, and those who do not are asked what became of them. Used by one thread.
 */
final class CutOff implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CutOff.class);

  /** Without trouble for so long, operations go on again. */
  private static final Duration CALM = Duration.ofSeconds(3);

  private static final Duration FLAP = Duration.ofSeconds(1);
  private static final int STREAMED_PER_TURN = 400;

  private final Namespaces network;
  private final Fleet fleet;
  private final Map<String, Child> nodes = new TreeMap<>();

  /**
   * What was seen of a fault.
   *
   * @param balancedMillis after how long all segments had all their owners again
   * @param began when the fault did, by the wall clock
   */
  record Seen(String what, long began, long balancedMillis, Met met) {
    /** After how long the last operation in trouble ended. */
    long troubledMillis() {
      return Math.max(0, met.troubledMillis() - began);
    }

    @Override
    public String toString() {
      return "%s: redundancy after %d ms; reads: %s; writes: %s"
          .formatted(what, balancedMillis, met.reads.since(began), met.writes.since(began));
    }
  }

  /** What the callers of some nodes have met. */
  record Met(Outage reads, Outage writes) {
    static final Met NOTHING = new Met(Outage.NONE, Outage.NONE);

    static Met parse(String line) {
      return new Met(Outage.parse(line, 0), Outage.parse(line, 1));
    }

    Met and(Met other) {
      return new Met(reads.and(other.reads), writes.and(other.writes));
    }

    long troubledMillis() {
      return Math.max(reads.troubledMillis(), writes.troubledMillis());
    }

    /** When the last operation ended that had a result, by the wall clock. */
    long servedMillis() {
      return Math.max(reads.servedMillis(), writes.servedMillis());
    }
  }

  /** Starts nodes one after the other, so that the first one decides, and has all of them work. */
  CutOff(Path meeting, List<String> names, int owners) throws Exception {
    network = Namespaces.of(names);
    fleet = fleet(meeting, owners);
    try {
      start(names);
    } catch (AssertionError | Exception e) {
      close();
      throw named(e);
    }
  }

  private Fleet fleet(Path meeting, int owners) throws IOException {
    try {
      return new Fleet(meeting, network, owners);
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  private void start(List<String> names) throws Exception {
    for (String name : names) {
      Child node = fleet.startHolder(name);
      nodes.put(name, node);
      node.awaitJoined();
    }
    List<Child> all = new ArrayList<>(nodes.values());
    Child last = all.get(all.size() - 1);
    last.ask("load");
    fleet.awaitBalanced();
    all.get(1).ask("write 0");
    all.get(2).ask("write 1");
    all.get(2).ask("stream " + STREAMED_PER_TURN);
    for (Child node : all) {
      node.ask("read");
      node.ask("probe");
    }
    fleet.watch(CALM);
  }

  Namespaces network() {
    return network;
  }

  /** SIGKILL: its connections are reset. */
  void kill(String name) {
    node(name).kill();
  }

  /** Switches a node's machine off: nothing of its end is heard. */
  void powerOff(String name) {
    network.cutOff(List.of(name));
    node(name).kill();
  }

  /**
   * Lets a fault happen and waits until the others have got over it.
   *
   * @param silent those who are not expected to be members while it lasts
   * @param fault how long it lasts at least
   */
  Seen suffer(String what, Collection<String> silent, Duration fault, Runnable cause)
      throws Exception {
    try {
      meet(silent);
      fleet.note(what + " begins");
      long began = System.currentTimeMillis();
      cause.run();
      silent.forEach(name -> fleet.forget(node(name)));
      fleet.awaitBalanced();
      long balanced = System.currentTimeMillis() - began;
      Met met = meet(silent);
      while (System.currentTimeMillis() - Math.max(began, met.troubledMillis()) < CALM.toMillis()
          || System.currentTimeMillis() - began < fault.toMillis()) {
        fleet.watch(Duration.ofMillis(100));
        met = met.and(meet(silent));
      }
      Seen seen = new Seen(what, began, balanced, met);
      LOG.info("{}", seen);
      return seen;
    } catch (AssertionError | Exception e) {
      throw named(e);
    }
  }

  /** What the callers of nodes that are cut off have met since they were asked last. */
  Met alone(Collection<String> silent) throws Exception {
    try {
      Met met = Met.NOTHING;
      for (String name : silent) {
        met = met.and(Met.parse(node(name).ask("outage")));
      }
      return met;
    } catch (AssertionError | Exception e) {
      throw named(e);
    }
  }

  /** What they meet from now on for a while. */
  Met alone(Collection<String> silent, Duration time) throws Exception {
    alone(silent);
    fleet.watch(time);
    return alone(silent);
  }

  /**
   * Cuts some off and lets them come back, again and again, a second each.
   *
   * @return what the others have met
   */
  Seen flap(Collection<String> some, Duration time) throws Exception {
    try {
      meet(some);
      long began = System.currentTimeMillis();
      while (System.currentTimeMillis() - began < time.toMillis()) {
        network.cutOff(some);
        fleet.watch(FLAP);
        network.heal();
        fleet.watch(FLAP);
      }
      Seen seen = new Seen("flapping", began, 0, meet(some));
      LOG.info("{}", seen);
      return seen;
    } catch (AssertionError | Exception e) {
      throw named(e);
    }
  }

  /**
   * Cuts the cluster in two for a while. What was owned on one side only must be there again when
   * they meet.
   *
   * @return what everybody has met since then
   */
  Seen split(String what, Collection<String> side, Duration time) throws Exception {
    try {
      fleet.note(what + " begins");
      network.cutOff(side);
      fleet.watch(time);
      meet(List.of());
      network.heal();
      long healed = System.currentTimeMillis();
      fleet.note(what + " ends");
      for (String name : side) {
        fleet.forget(node(name));
        returned(node(name));
      }
      fleet.awaitBalanced();
      long balanced = System.currentTimeMillis() - healed;
      Met met = meet(List.of());
      while (System.currentTimeMillis() - Math.max(healed, met.troubledMillis())
          < CALM.toMillis()) {
        fleet.watch(Duration.ofMillis(100));
        met = met.and(meet(List.of()));
      }
      Seen seen = new Seen(what, healed, balanced, met);
      LOG.info("{}", seen);
      return seen;
    } catch (AssertionError | Exception e) {
      throw named(e);
    }
  }

  /** What all but some have met since they were asked last. */
  private Met meet(Collection<String> except) throws InterruptedException {
    Met all = Met.NOTHING;
    for (Map.Entry<String, Child> node : nodes.entrySet()) {
      if (!except.contains(node.getKey())) {
        all = all.and(Met.parse(node.getValue().ask("outage")));
      }
    }
    return all;
  }

  /**
   * Ends the fault: whoever lives and was away has to find out that it was given up, or to be a
   * member again; and nobody must have lost anything.
   */
  void heal(Collection<String> living) throws Exception {
    try {
      network.heal();
      fleet.note("the fault is over");
      for (String name : living) {
        fleet.forget(node(name));
        returned(node(name));
      }
      end();
    } catch (AssertionError | Exception e) {
      throw named(e);
    }
  }

  private void returned(Child node) throws Exception {
    fleet.await(
        node.name() + " knows what became of it",
        () -> {
          String answer = node.answerTo("status");
          if (answer.startsWith("closed ")) {
            fleet.note(node.name() + " was given up");
            return null;
          }
          long others = TableStatus.parse(fleet.members().get(0).ask("status")).epoch();
          boolean member = TableStatus.parse(answer.substring(2)).epoch() >= others;
          if (member) {
            fleet.note(node.name() + " is a member again");
            fleet.remember(node);
          }
          return member ? null : answer;
        });
  }

  private void end() throws Exception {
    for (Child member : fleet.members()) {
      member.ask("rest");
    }
    fleet.awaitBalanced();
    for (Child member : fleet.members()) {
      member.ask("verify");
      fleet.note(member.name() + " has seen " + member.ask("report"));
    }
    fleet.watch(Duration.ZERO);
  }

  private Child node(String name) {
    Child node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException("There is no node " + name);
    }
    return node;
  }

  private AssertionError named(Throwable failure) {
    return new AssertionError(
        failure.getMessage() + "\nLogs of the processes: " + fleet.logs(), failure);
  }

  @Override
  public void close() {
    fleet.close();
    network.close();
  }
}
