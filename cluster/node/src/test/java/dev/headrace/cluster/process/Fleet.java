package dev.headrace.cluster.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes of one cluster: some that hold data, some that do not. Whatever happens, {@link
 * #close} ends all of them. Used by one thread.
 *
 * <p>Whoever waits for anything here fails at once when a process tells of a violation; a failure
 * names the folder with the processes' logs.
 */
final class Fleet implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final long RECHECK_MILLIS = 100;

  private final String cluster = "process-" + UUID.randomUUID();
  private final Path meeting;
  private final @Nullable Namespaces network;
  private final String owners;
  private final Path logs;
  private String classPath = Child.CLASS_PATH;
  private final long startNanos = System.nanoTime();
  private final BlockingQueue<String> violations = new LinkedBlockingQueue<>();
  private final List<Child> started = new ArrayList<>();
  private final Thread atExit = new Thread(this::killAll);

  /** Those that should be members, by their names. */
  private final Map<String, Child> holders = new TreeMap<>();

  private final Map<String, Child> clients = new TreeMap<>();

  /**
   * A fleet without processes.
   *
   * @param meeting an empty folder for the nodes to meet in
   */
  Fleet(Path meeting) throws IOException {
    this(meeting, null, 2);
  }

  /**
   * A fleet without processes, in a network of its own.
   *
   * @param network has a place for every process, of the same name; null for this machine's
   * @param owners of a segment
   */
  Fleet(Path meeting, @Nullable Namespaces network, int owners) throws IOException {
    this.meeting = meeting;
    this.network = network;
    this.owners = String.valueOf(owners);
    this.logs = Files.createDirectories(Path.of("target", "process", cluster).toAbsolutePath());
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Processes that are started from now on have another class path. */
  void use(String newClassPath) {
    classPath = newClassPath;
  }

  /** Starts a process whose node holds data; it joins in its own time. */
  Child startHolder(String name) {
    Child child = start(name, "1");
    holders.put(name, child);
    return child;
  }

  /** Starts a process whose node holds nothing. */
  Child startClient(String name) {
    Child child = start(name, "0");
    clients.put(name, child);
    return child;
  }

  private Child start(String name, String capacity) {
    note("start " + name);
    String address = network == null ? "127.0.0.1" : network.address(name);
    String board = logs.resolve("board").toString();
    Child child =
        Child.start(
            name,
            network == null ? List.of() : network.runAt(name),
            classPath,
            logs.resolve(name + ".log"),
            List.of(capacity, cluster, meeting.toString(), board, address, owners),
            violations::add);
    started.add(child);
    return child;
  }

  /** The processes that should be members. */
  List<Child> members() {
    List<Child> members = new ArrayList<>(holders.values());
    members.addAll(clients.values());
    return members;
  }

  /** From now on the process is not expected to be a member. */
  void forget(Child child) {
    holders.remove(child.name());
  }

  /** From now on a process that holds nothing is not expected to be a member. */
  void forgetClient(Child child) {
    clients.remove(child.name());
  }

  /** A process that was not expected to be a member is one again. */
  void remember(Child child) {
    holders.put(child.name(), child);
  }

  /** Waits until all members agree on a table in which all segments have all their owners. */
  void awaitBalanced() throws Exception {
    await("balanced: " + holders.keySet() + " with " + clients.keySet(), this::imbalance);
    note("balanced");
  }

  private @Nullable String imbalance() throws InterruptedException {
    Map<String, TableStatus> seen = new TreeMap<>();
    for (Child member : members()) {
      seen.put(member.name(), TableStatus.parse(member.ask("status")));
    }
    for (TableStatus status : seen.values()) {
      String imbalance = status.imbalance(holders.keySet(), clients.keySet());
      if (imbalance != null) {
        return imbalance + ": " + seen;
      }
    }
    return Set.copyOf(seen.values()).size() == 1 ? null : "they do not agree: " + seen;
  }

  /**
   * Waits for a condition.
   *
   * @param obstacle tells what is still in its way; null for nothing
   */
  void await(String what, Callable<@Nullable String> obstacle) throws Exception {
    long deadlineNanos = System.nanoTime() + LIMIT.toNanos();
    String present = obstacle.call();
    while (present != null) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new AssertionError(
            "Not within " + LIMIT + ": " + what + "; " + present + descriptions());
      }
      watch(Duration.ofMillis(RECHECK_MILLIS));
      present = obstacle.call();
    }
  }

  /** What the members are about, where one can tell. */
  private String descriptions() throws InterruptedException {
    StringBuilder text = new StringBuilder();
    for (Child member : members()) {
      text.append('\n').append(member.name()).append(": ").append(member.answerTo("describe"));
    }
    return text.toString();
  }

  /** Lets time go by, unless a process tells of a violation. */
  void watch(Duration time) throws InterruptedException {
    String violation = violations.poll(time.toNanos(), TimeUnit.NANOSECONDS);
    if (violation != null) {
      throw new AssertionError(
          violations.stream().limit(20).collect(Collectors.joining("\n", violation + "\n", "")));
    }
  }

  /** Notes a step in the test's output. */
  void note(String step) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    LOG.info("%5.1f s: %s".formatted(seconds, step));
  }

  /** Where the processes' logs are. */
  Path logs() {
    return logs;
  }

  private void killAll() {
    started.forEach(Child::kill);
  }

  @Override
  public void close() {
    started.forEach(Child::close);
    Runtime.getRuntime().removeShutdownHook(atExit);
  }
}
