package dev.headrace.cluster.membership;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A started membership that records what its listener hears. */
public final class Node implements MembershipListener, AutoCloseable {
  public static final Duration LIMIT = Duration.ofSeconds(60);

  private final Await await = new Await();
  private final Set<String> threads = ConcurrentHashMap.newKeySet();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private volatile long mark; // written before the view
  private volatile List<NodeId> view = List.of();
  private final JGroupsMembership membership;

  record Received(NodeId from, ByteBuffer message) {}

  Node(NodeSettings settings) {
    membership =
        new JGroupsMembership(
            settings, PortSecurity.of(settings.security(), settings.clusterName()));
  }

  static NodeSettings.Builder settings(Path folder) {
    return NodeSettings.builder().discovery(new Discovery.Local(folder.toString()));
  }

  static Node started(Path folder) {
    return started(settings(folder).build());
  }

  static Node started(NodeSettings settings) {
    Node node = new Node(settings);
    node.start();
    return node;
  }

  void start() {
    membership.start(this);
  }

  @Override
  public void viewChanged(MemberView newView) {
    threads.add(Thread.currentThread().getName());
    mark = newView.mark();
    view = newView.members();
    await.changed();
  }

  @Override
  public void received(NodeId from, byte[] message) {
    threads.add(Thread.currentThread().getName());
    received.add(new Received(from, ByteBuffer.wrap(message)));
    await.changed();
  }

  JGroupsMembership membership() {
    return membership;
  }

  NodeId id() {
    return membership.self();
  }

  long mark() {
    return mark;
  }

  List<NodeId> view() {
    return view;
  }

  Set<String> threads() {
    return threads;
  }

  List<Received> received() {
    return received;
  }

  void awaitView(Node... nodes) {
    awaitView(LIMIT, nodes);
  }

  void awaitView(Duration limit, Node... nodes) {
    List<NodeId> wanted = Arrays.stream(nodes).map(Node::id).toList();
    await.until("the view " + wanted, limit, () -> view.equals(wanted));
  }

  void awaitSize(int nodes) {
    await.until("a view of " + nodes, LIMIT, () -> view.size() == nodes);
  }

  void awaitReceived(int messages) {
    await.until(messages + " messages", LIMIT, () -> received.size() >= messages);
  }

  @Override
  public void close() {
    membership.close();
  }
}
