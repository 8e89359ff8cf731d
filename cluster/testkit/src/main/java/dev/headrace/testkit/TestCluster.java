package dev.headrace.testkit;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A cluster for tests, whose nodes run in this process and meet nobody else.
 *
 * <p>As an extension of JUnit 5, in a field with {@code @RegisterExtension}, it starts before the
 * tests and ends after them: once for the class in a static field, for each test in another one.
 * Methods of tests may have it, or a {@link Headrace} for its first node, as a parameter. Without
 * JUnit its nodes start when they are first asked for, and {@link #close} ends them.
 *
 * <pre>{@code
 * @RegisterExtension static final TestCluster CLUSTER = TestCluster.of(3);
 *
 * @Test
 * void nothingIsLostWithANode() {
 *   Cache<String, String> orders = CLUSTER.cache("orders", String.class, String.class);
 *   orders.put("1", "open");
 *   CLUSTER.kill(CLUSTER.node(1));
 *   CLUSTER.settle();
 *   assertEquals("open", orders.get("1"));
 * }
 * }</pre>
 *
 * <p>Nodes and caches may be used by any thread. One thread at a time starts nodes, makes faults
 * and waits for the cluster to settle.
 */
public final class TestCluster
    implements AutoCloseable,
        BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Executor OWN_THREAD = task -> new Thread(task, "test-cluster").start();
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final int size;
  private final UnaryOperator<NodeSettings.Builder> change;
  private final List<FaultyNode> nodes = new CopyOnWriteArrayList<>();
  private final AtomicInteger names = new AtomicInteger();

  /** Classes and tests of JUnit that use it now. */
  private final AtomicInteger users = new AtomicInteger();

  private volatile @Nullable MeetingPoint meeting; // while it is started

  private TestCluster(int size, UnaryOperator<NodeSettings.Builder> change) {
    if (size < 1) {
      throw new IllegalArgumentException("A cluster has at least one node, not " + size);
    }
    this.size = size;
    this.change = change;
  }

  /**
   * A cluster of nodes with default settings, named {@code node-0} and so on. None is started yet.
   *
   * @param nodes at least 1; crashes are survived by 3 and more
   * @throws IllegalArgumentException if it is less
   */
  public static TestCluster of(int nodes) {
    return of(nodes, settings -> settings);
  }

  /**
   * A cluster of nodes with the same settings.
   *
   * @param nodes as above
   * @param settings changes the settings of each node; leave cluster name, discovery and ports as
   *     they are
   * @throws IllegalArgumentException as above
   */
  public static TestCluster of(int nodes, UnaryOperator<NodeSettings.Builder> settings) {
    return new TestCluster(nodes, settings);
  }

  /**
   * Starts the nodes and waits until the cluster is settled. Does nothing if they were started.
   *
   * @return this cluster
   * @throws dev.headrace.api.error.HeadraceException if a node does not start
   */
  public TestCluster start() {
    if (meeting != null) {
      return this;
    }
    meeting = MeetingPoint.create();
    try {
      nodes.add(startNode(change)); // it founds the cluster
      startOthers();
      settle();
      return this;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Starts all nodes but the first, at once. If one fails, the others are noted all the same. */
  private void startOthers() {
    List<CompletableFuture<FaultyNode>> others = new ArrayList<>();
    for (int i = 1; i < size; i++) {
      NodeSettings settings = change.apply(settings()).build();
      others.add(CompletableFuture.supplyAsync(() -> new FaultyNode(settings), OWN_THREAD));
    }
    RuntimeException failure = null;
    for (CompletableFuture<FaultyNode> other : others) {
      try {
        nodes.add(other.join());
      } catch (CompletionException e) {
        failure = e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private FaultyNode startNode(UnaryOperator<NodeSettings.Builder> settings) {
    return new FaultyNode(settings.apply(settings()).build());
  }

  /**
   * Settings of one more node of this cluster, for a program that starts its node itself. Close
   * that node before {@link #settle}, which waits until nobody but the cluster's own nodes is
   * there.
   */
  public NodeSettings.Builder settings() {
    MeetingPoint here = meeting;
    if (here == null) {
      here = start().meeting;
    }
    if (here == null) {
      throw new IllegalStateException("The cluster was closed while it started");
    }
    return here.settings("node-" + names.getAndIncrement());
  }

  /**
   * A node, counted from 0 in the order of starting. One that has ended keeps its number.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public Headrace node(int index) {
    start();
    return nodes.get(index).node();
  }

  /** The nodes that were neither killed nor closed, in the order of starting. */
  public List<Headrace> nodes() {
    start();
    List<Headrace> open = new ArrayList<>();
    nodes.stream().filter(FaultyNode::open).forEach(node -> open.add(node.node()));
    return open;
  }

  /**
   * Opens a cache at the first node that runs.
   *
   * @see Headrace#cache(String, Class, Class)
   */
  public <K, V> Cache<K, V> cache(String name, Class<K> keyType, Class<V> valueType) {
    start();
    return nodes.stream()
        .filter(node -> node.open() && !node.paused())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("No node of the cluster runs: add one"))
        .node()
        .cache(name, keyType, valueType);
  }

  /**
   * Starts one more node, with the settings of the others.
   *
   * @return the node, which may be used; segments move to it from now on, until {@link #settle}
   *     returns
   */
  public Headrace add() {
    return add(change);
  }

  /** Starts one more node. As {@link #add()}, but with settings of its own. */
  public Headrace add(UnaryOperator<NodeSettings.Builder> settings) {
    start();
    FaultyNode added = startNode(settings);
    nodes.add(added);
    return added.node();
  }

  /**
   * Ends a node as the crash of its process does: its sockets are reset, and nobody is told. What
   * only this node had is lost. To have it leave in order, close it.
   *
   * @throws IllegalArgumentException if it is not a node of this cluster
   */
  public void kill(Headrace node) {
    faulty(node).kill();
  }

  /**
   * Stops all threads of a node, as a long garbage collection or SIGSTOP does. The others drop it
   * out of their cluster after some three seconds. Calls on this node wait.
   *
   * <p>Threads of the test are not stopped: those that call the node go on until they need one of
   * its threads, so that a call may still send its request, or read what the node has and is
   * allowed to answer without asking.
   *
   * @throws IllegalArgumentException if it is not a node of this cluster
   * @throws IllegalStateException if the node has ended
   * @throws dev.headrace.api.error.HeadraceException if a thread of the node does not stop
   */
  public void pause(Headrace node) {
    faulty(node).pause();
  }

  /** Lets a paused node go on. Does nothing if it is not paused. */
  public void resume(Headrace node) {
    faulty(node).resume();
  }

  /**
   * Cuts the network between two nodes, silently: no socket is closed. They drop each other out of
   * their cluster after some three seconds, if the cut lasts.
   *
   * @throws IllegalArgumentException if one is not a node of this cluster, or both are the same
   */
  public void cut(Headrace one, Headrace other) {
    if (one == other) {
      throw new IllegalArgumentException("A node cannot be cut off from itself");
    }
    FaultyNode first = faulty(one);
    FaultyNode second = faulty(other);
    first.cut(second);
    second.cut(first);
  }

  /** Cuts the network between a node and all others that there are now. */
  public void isolate(Headrace node) {
    FaultyNode alone = faulty(node);
    nodes.stream().filter(other -> other != alone).forEach(other -> cut(node, other.node()));
  }

  /** Connects two nodes again. Does nothing if they are not cut off from each other. */
  public void heal(Headrace one, Headrace other) {
    FaultyNode first = faulty(one);
    FaultyNode second = faulty(other);
    first.heal(second);
    second.heal(first);
  }

  /** Connects all nodes again, and lets those go on that are paused. */
  public void heal() {
    for (FaultyNode node : nodes) {
      if (node.open()) {
        node.resume();
        nodes.forEach(node::heal);
      }
    }
  }

  /**
   * Waits until the cluster is settled: all nodes know exactly each other, every segment has as
   * many copies as it can have, each of which could stand in for the others, and none is left to be
   * moved. Nodes that have ended, are paused or are cut off from all others do not count. A cluster
   * that is cut into parts of several nodes does not settle before it is healed, and neither does
   * one in which no node is left that counts.
   *
   * @throws AssertionError if that is not so after a minute; says what is left
   */
  public void settle() {
    settle(PATIENCE);
  }

  /**
   * As {@link #settle()}, but with a limit of one's own.
   *
   * @throws AssertionError as above, or if the thread is interrupted
   */
  public void settle(Duration limit) {
    start();
    long beganNanos = System.nanoTime();
    List<String> left = left();
    while (!left.isEmpty()) {
      boolean late = System.nanoTime() - beganNanos > limit.toNanos();
      if (late || Thread.currentThread().isInterrupted()) {
        throw new AssertionError(
            "The cluster is not settled after " + limit + ": " + String.join("; ", left));
      }
      LockSupport.parkNanos(LOOK_NANOS);
      left = left();
    }
  }

  /** What is left to be done; nobody is settled where no node is left, or none reaches another. */
  private List<String> left() {
    List<FaultyNode> reachable = reachable();
    return reachable.isEmpty()
        ? List.of("no node runs that reaches another one: resume, heal or add nodes first")
        : Settling.left(reachable);
  }

  /** The nodes that run, except one that is cut off from all others that do. */
  private List<FaultyNode> reachable() {
    List<FaultyNode> running =
        nodes.stream().filter(node -> node.open() && !node.paused()).toList();
    return running.stream()
        .filter(
            node ->
                running.size() == 1
                    || running.stream().anyMatch(peer -> peer != node && !node.isCutFrom(peer)))
        .toList();
  }

  private FaultyNode faulty(Headrace node) {
    return nodes.stream()
        .filter(known -> known.node() == node)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Not a node of this cluster: " + node.settings().nodeName()));
  }

  /** Ends all nodes, without moving anything, and forgets them: the next use starts others. */
  @Override
  public void close() {
    MeetingPoint here = meeting;
    try {
      CompletableFuture.allOf(
              nodes.stream()
                  .map(node -> CompletableFuture.runAsync(node::kill, OWN_THREAD))
                  .toArray(CompletableFuture<?>[]::new))
          .join();
    } finally { // a node that could not be ended must not be used by the next test
      nodes.clear();
      names.set(0);
      meeting = null;
      if (here != null) {
        here.remove();
      }
    }
  }

  // ---- For JUnit

  @Override
  public void beforeAll(ExtensionContext context) {
    begin();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    end();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    begin();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    end();
  }

  private void begin() {
    users.incrementAndGet();
    start();
  }

  private void end() {
    if (users.decrementAndGet() == 0) {
      close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestCluster.class || type == Headrace.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestCluster.class ? this : node(0);
  }
}
