package dev.headrace.cluster.fault;

import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the traffic between a node and others that it is cut off from. It waits in its order,
 * as in the buffers of a connection whose packets are lost: it goes on when the cut is healed, and
 * is lost with the connection. Thread-safe, but one thread at a time cuts and heals.
 *
 * <pre>
 * a node is  event        next       effects
 * -----------------------------------------------------------------------------------------------
 * reachable  pass         reachable  deliver
 * reachable  cut          cut off
 * cut off    pass         cut off    hold
 * cut off    lose         cut off    lose what is held
 * cut off    heal         reachable  deliver what is held, and what comes meanwhile after it
 * any        end          reachable  lose what is held; later cuts do nothing
 * </pre>
 */
public final class HeldTraffic {
  private final Map<NodeId, Hold> holds = new ConcurrentHashMap<>();
  private volatile boolean ended;

  private record Item(Runnable deliver, Runnable lose) {}

  /** What is held back of the traffic with one node. */
  private static final class Hold {
    private Deque<Item> items = new ArrayDeque<>(); // guarded by this
    private boolean over; // guarded by this

    synchronized boolean add(Item item) {
      return !over && items.add(item);
    }

    /** The next item. If there is none, nothing is held any more. */
    synchronized @Nullable Item nextOrEnd() {
      Item next = items.poll();
      over = next == null;
      return next;
    }

    synchronized List<Item> takeAll() {
      List<Item> all = new ArrayList<>(items);
      items = new ArrayDeque<>();
      return all;
    }

    synchronized int size() {
      return items.size();
    }
  }

  /** Cuts a node off. Does nothing if it is, or after {@link #end}. */
  public void cut(NodeId node) {
    if (!ended) {
      holds.putIfAbsent(node, new Hold());
    }
  }

  /** Ends a cut: delivers what was held, by the calling thread. */
  public void heal(NodeId node) {
    Hold hold = holds.get(node);
    if (hold == null) {
      return;
    }
    for (Item next = hold.nextOrEnd(); next != null; next = hold.nextOrEnd()) {
      next.deliver.run();
    }
    holds.remove(node, hold);
  }

  /** The nodes that are cut off. */
  public Set<NodeId> cutNodes() {
    return Set.copyOf(holds.keySet());
  }

  /** Whether a node is cut off. */
  public boolean isCut(NodeId node) {
    return holds.containsKey(node);
  }

  /** How many messages and reads are held back of the traffic with a node. */
  int held(NodeId node) {
    Hold hold = holds.get(node);
    return hold == null ? 0 : hold.size();
  }

  /**
   * Lets something go on to a node or from it, or holds it.
   *
   * @param deliver run now, or when the cut is healed
   * @param lose run instead if the connection ends before
   */
  void pass(NodeId node, Runnable deliver, Runnable lose) {
    Hold hold = holds.get(node);
    if (hold == null || !hold.add(new Item(deliver, lose))) {
      deliver.run();
    }
  }

  /** The connections to a node have ended: what is held is lost with them. */
  void lose(NodeId node) {
    Hold hold = holds.get(node);
    if (hold != null) {
      hold.takeAll().forEach(item -> item.lose.run());
    }
  }

  /** The node ends: loses everything, and holds nothing any more. */
  public void end() {
    ended = true;
    for (NodeId node : cutNodes()) {
      lose(node);
      heal(node);
    }
  }
}
