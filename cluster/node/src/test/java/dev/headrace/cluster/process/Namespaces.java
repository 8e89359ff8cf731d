package dev.headrace.cluster.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A network of its own for the processes of a test: each place has a network namespace with one
 * address, and one more namespace holds the bridge between them. Nothing of it is visible outside,
 * and {@link #close} removes all of it. Used by one thread.
 *
 * <p>Packets are lost without a word by giving the sender a hardware address for the receiver that
 * nobody has: that needs no packet filter, works for one direction of one pair, and is neither a
 * reset nor an error to anybody.
 */
final class Namespaces implements AutoCloseable {
  private static final String PREFIX = "headrace-";
  private static final String SUBNET = "10.77.0.";
  private static final String NOBODY = "02:00:00:00:ff:ff";
  private static final long COMMAND_SECONDS = 30;

  private final String prefix = PREFIX + ProcessHandle.current().pid() + "-";
  private final String bridge = prefix + "bridge";
  private final List<String> made = new ArrayList<>();

  /** By place the last part of its address. */
  private final Map<String, Integer> places = new LinkedHashMap<>();

  private final Thread atExit = new Thread(this::removeAll);

  private Namespaces() {
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Why this machine cannot have such a network; null if it can. */
  static @Nullable String obstacle() {
    try (Namespaces probe = new Namespaces()) {
      probe.build(List.of("probe"));
      return null;
    } catch (UncheckedIOException | IllegalStateException e) {
      return "No network namespaces with virtual cables can be made here (this needs root, and the"
          + " program ip of the package iproute2): "
          + e.getMessage();
    }
  }

  /** Makes a network in which all places reach each other. */
  static Namespaces of(Collection<String> places) {
    Namespaces made = new Namespaces();
    try {
      made.build(places);
      return made;
    } catch (RuntimeException | Error e) {
      made.close();
      throw e;
    }
  }

  private void build(Collection<String> names) {
    removeThoseOfTheDead();
    add(bridge);
    ip("-n", bridge, "link", "add", "bridge", "type", "bridge");
    ip("-n", bridge, "link", "set", "bridge", "up");
    for (String place : names) {
      int number = places.size() + 1;
      places.put(place, number);
      String namespace = namespace(place);
      add(namespace);
      ip("-n", namespace, "link", "set", "lo", "up");
      String cable = "type veth peer name eth0 address " + hardware(number) + " netns " + namespace;
      ip(words("-n", bridge, "link", "add", port(number)).add(cable.split(" ")));
      ip("-n", bridge, "link", "set", port(number), "master", "bridge", "up");
      ip("-n", namespace, "address", "add", address(place) + "/24", "dev", "eth0");
      ip("-n", namespace, "link", "set", "eth0", "up");
    }
    heal();
  }

  /** What comes before a command that is to run at a place. */
  List<String> runAt(String place) {
    return List.of("ip", "netns", "exec", namespace(place));
  }

  /** The address of a place, for everybody in this network. */
  String address(String place) {
    return SUBNET + number(place);
  }

  // ---- Faults

  /** Loses all packets from one place to another. */
  void drop(String from, String to) {
    neighbour(from, to, NOBODY);
  }

  /** Loses all packets between some places and all others. */
  void cutOff(Collection<String> some) {
    betweenTheSides(some, this::drop);
  }

  /** Has the senders refuse all packets between some places and all others, as a filter might. */
  void reject(Collection<String> some) {
    betweenTheSides(
        some,
        (from, to) ->
            ip("-n", namespace(from), "route", "replace", "unreachable", address(to) + "/32"));
  }

  /** Pulls a place's cable out. */
  void unplug(String place) {
    ip("-n", bridge, "link", "set", port(number(place)), "down");
  }

  /**
   * Delays and loses some of what a place sends.
   *
   * @return false if the kernel has no way to
   */
  boolean disturb(String place, int delayMillis, int lossPercent) {
    String how = "root netem delay " + delayMillis + "ms loss " + lossPercent + "%";
    return succeeds(
        words("tc", "-n", namespace(place), "qdisc", "replace", "dev", "eth0").add(how.split(" ")));
  }

  /** Makes everybody reach everybody. */
  void heal() {
    for (String from : places.keySet()) {
      ip("-n", bridge, "link", "set", port(number(from)), "up");
      succeeds(words("tc", "-n", namespace(from), "qdisc", "del", "dev", "eth0", "root"));
      for (String to : places.keySet()) {
        if (!from.equals(to)) {
          succeeds(
              words("ip", "-n", namespace(from), "route", "del")
                  .add("unreachable", address(to) + "/32"));
          neighbour(from, to, hardware(number(to)));
        }
      }
    }
  }

  private void betweenTheSides(Collection<String> some, Direction action) {
    for (String one : places.keySet()) {
      for (String other : places.keySet()) {
        if (some.contains(one) != some.contains(other)) {
          action.on(one, other);
        }
      }
    }
  }

  private interface Direction {
    void on(String from, String to);
  }

  private void neighbour(String from, String to, String hardware) {
    ip(
        words("-n", namespace(from), "neighbour", "replace", address(to))
            .add("lladdr", hardware, "dev", "eth0", "nud", "permanent"));
  }

  // ---- Names

  private int number(String place) {
    Integer number = places.get(place);
    if (number == null) {
      throw new IllegalArgumentException("There is no place " + place + " in " + places.keySet());
    }
    return number;
  }

  private String namespace(String place) {
    return prefix + place;
  }

  private static String port(int number) {
    return "port" + number;
  }

  private static String hardware(int number) {
    return "02:00:00:00:00:%02x".formatted(number);
  }

  // ---- Commands

  private void add(String namespace) {
    ip("netns", "add", namespace);
    made.add(namespace);
  }

  private static void ip(String... words) {
    ip(words(words));
  }

  private static void ip(Words words) {
    String complaint = run(words("ip").add(words.list.toArray(String[]::new)).list);
    if (complaint != null) {
      throw new IllegalStateException(complaint);
    }
  }

  private static boolean succeeds(Words words) {
    return run(words.list) == null;
  }

  /** Runs a program; returns what it complains of, or null if it succeeded. */
  private static @Nullable String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return String.join(" ", command) + " does not end";
      }
      return process.exitValue() == 0 ? null : String.join(" ", command) + ": " + output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while " + String.join(" ", command) + " ran", e);
    }
  }

  private static Words words(String... words) {
    return new Words(new ArrayList<>()).add(words);
  }

  private record Words(List<String> list) {
    Words add(String... more) {
      list.addAll(List.of(more));
      return this;
    }
  }

  // ---- Ends

  /** Removes what tests have left that were killed. */
  private static void removeThoseOfTheDead() {
    for (String namespace : namespaces()) {
      String[] parts = namespace.split("-", 3);
      if (parts.length == 3
          && namespace.startsWith(PREFIX)
          && parts[1].matches("[0-9]{1,9}")
          && ProcessHandle.of(Long.parseLong(parts[1])).isEmpty()) {
        succeeds(words("ip", "netns", "del", namespace));
      }
    }
  }

  private static List<String> namespaces() {
    try {
      Process list = new ProcessBuilder("ip", "netns", "list").start();
      String text = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return Stream.of(text.split("\n")).map(line -> line.split(" ", 2)[0]).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The devices go with their namespaces. */
  private void removeAll() {
    made.forEach(namespace -> succeeds(words("ip", "netns", "del", namespace)));
    made.clear();
  }

  @Override
  public void close() {
    removeAll();
    Runtime.getRuntime().removeShutdownHook(atExit);
  }
}
