package dev.headrace.cluster.detection;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that are known to have ended: an established data connection was closed or reset from
 * their side, and their port, at the same address, refused a new one after that. Silence proves
 * nothing. An identity belongs to one life, so an ended node never comes back. The coordinator is
 * told of ended nodes for which segments wait. Thread-safe.
 *
 * <pre>
 * a node    event             guard                          next     effects
 * ----------------------------------------------------------------------------------------------
 * unknown   it hung up        it holds segments              suspect
 * suspect   tick, later and   tried fewer than 9 times       suspect  try whether it listens
 *           later
 * suspect   tick              tried 9 times                  unknown
 * suspect   refused           the table names it             ended
 * ended     tick, 250 ms      segments wait for it           ended    report
 * ended     table             it names the node no more      unknown
 * </pre>
 */
public final class Endings implements TableListener {
  /**
   * A process that ends closes its sockets one after the other, so its port may still answer for a
   * moment.
   */
  private static final int MAX_KNOCKS = 9;

  private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** How often nodes are reported as ended. */
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The most nodes that are remembered. Beyond it the oldest is forgotten. */
  static final int MAX_NODES = 256;

  private final boolean wanted;
  private final Door door;
  private final Consumer<Collection<NodeId>> report;

  // All guarded by this.
  private final Map<NodeId, Knocking> suspects = new LinkedHashMap<>();
  private final Set<NodeId> ended = new HashSet<>();
  private @Nullable SegmentTable table;
  private long reportedNanos;

  /** Tests whether a node listens. */
  @FunctionalInterface
  public interface Door {
    /**
     * Opens a connection to a node's data port and closes it again.
     *
     * @param refused run, by any thread, if the connection was refused; not if no answer came in
     *     time
     */
    void knock(Member node, Runnable refused);
  }

  private static final class Knocking {
    private final Member node;
    private int knocks;
    private long nextNanos;

    Knocking(Member node, long nowNanos) {
      this.node = node;
      this.nextNanos = nowNanos;
    }
  }

  /**
   * @param wanted whether the findings are used; if not, no node is tried
   * @param report gets the ended nodes repeatedly, while segments wait for one of them
   */
  public Endings(boolean wanted, Door door, Consumer<Collection<NodeId>> report, long nowNanos) {
    this.wanted = wanted;
    this.door = door;
    this.report = report;
    this.reportedNanos = nowNanos;
  }

  /** An established connection to a node was closed or reset from its side. */
  public synchronized void hungUp(@Nullable Member node, long nowNanos) {
    if (wanted && node != null && node.holdsSegments() && !ended.contains(node.id())) {
      suspects.put(node.id(), new Knocking(node, nowNanos));
      if (suspects.size() > MAX_NODES) {
        suspects.remove(suspects.keySet().iterator().next());
      }
    }
  }

  @Override
  public synchronized void onTable(TableDelta delta, SegmentTable newer) {
    table = newer;
    ended.removeIf(id -> newer.member(id) == null && !newer.isAbsent(id));
  }

  /** Time has passed. */
  public void tick(long nowNanos) {
    List<Member> knocked = new ArrayList<>();
    List<NodeId> told = List.of();
    synchronized (this) {
      List<Knocking> due =
          suspects.values().stream().filter(one -> nowNanos - one.nextNanos >= 0).toList();
      for (Knocking one : due) {
        if (one.knocks == MAX_KNOCKS) {
          suspects.remove(one.node.id());
        } else {
          one.nextNanos = nowNanos + (FIRST_DELAY_NANOS << one.knocks);
          one.knocks++;
          knocked.add(one.node);
        }
      }
      SegmentTable now = table;
      if (now != null && nowNanos - reportedNanos >= REPORT_NANOS) {
        told = ended.stream().filter(now::isAbsent).toList();
        reportedNanos = told.isEmpty() ? reportedNanos : nowNanos;
      }
    }
    knocked.forEach(node -> door.knock(node, () -> refused(node.id())));
    if (!told.isEmpty()) {
      report.accept(told);
    }
  }

  private synchronized void refused(NodeId node) {
    SegmentTable now = table;
    boolean known = now != null && (now.member(node) != null || now.isAbsent(node));
    if (suspects.remove(node) != null && known) {
      ended.add(node);
    }
  }
}
