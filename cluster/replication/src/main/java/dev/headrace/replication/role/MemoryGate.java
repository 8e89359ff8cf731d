package dev.headrace.replication.role;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.store.MemoryBudget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Whether the owners of a segment have room for what is to be written: this node by its own budget,
 * the others by what they told last.
 *
 * <p>A backup takes whatever its primary has let in, so the primary has to ask before. Nodes tell
 * all others once in {@link #REFRESH_NANOS}, and as soon as they have taken or given back a {@link
 * #STEP_PART part} of their limit. What was let in since the last notice counts as taken. A node
 * that was not heard of is believed to have room: it is new, or about to be given up.
 *
 * <p>Thread-safe; {@link #tick} is called by one thread.
 */
public final class MemoryGate {
  /** So often at least a node tells the others how much it uses. */
  static final long REFRESH_NANOS = 1_000_000_000L;

  /** What was told so long ago counts no more. */
  static final long FORGET_NANOS = 5 * REFRESH_NANOS;

  /** One part in so many of the limit is worth a notice. */
  private static final int STEP_PART = 128;

  /** What the store needs for an entry beside key and value: lengths, version, expiry, slot. */
  private static final int ENTRY_OVERHEAD_BYTES = 48;

  private final MemoryBudget budget;
  private final Map<NodeId, Told> told = new ConcurrentHashMap<>();

  /** Whether any other node has so little room that it matters. */
  private volatile boolean anyTight;

  private volatile long nowNanos;

  // Of the thread that ticks.
  private long toldBytes;
  private long toldNanos;
  private @Nullable List<Member> toldMembers;

  public MemoryGate(MemoryBudget budget) {
    this.budget = budget;
  }

  /** What another node has told, and what was let in since. */
  private record Told(MemoryNotice notice, long heardNanos, AtomicLong promisedBytes) {
    long roomBytes() {
      return MemoryBudget.roomBytes(notice.limitBytes(), notice.usedBytes() + promisedBytes.get());
    }

    boolean tight() {
      return notice.usedBytes() > notice.limitBytes() / 2;
    }
  }

  /**
   * Looks for an owner of a segment, whose primary is this node, that has no room for some entries.
   * If all have, the entries count from then on.
   *
   * @param keyAndValueBytes the lengths of the encoded keys and values
   * @return the owner without room, or null
   */
  public @Nullable NodeId fullOwner(
      SegmentTable table, int segment, int entries, long keyAndValueBytes) {
    long bytes = keyAndValueBytes + (long) entries * ENTRY_OVERHEAD_BYTES;
    if (!budget.hasRoom(bytes)) {
      return table.owner(segment, 0);
    }
    return anyTight ? fullBackup(table, segment, bytes) : null;
  }

  private @Nullable NodeId fullBackup(SegmentTable table, int segment, long bytes) {
    for (int i = 0; i < table.ownerCount(segment); i++) {
      Told owner = told.get(table.owner(segment, i));
      if (owner != null && owner.roomBytes() < bytes) {
        return table.owner(segment, i);
      }
    }
    for (int i = 0; i < table.ownerCount(segment); i++) {
      Told owner = told.get(table.owner(segment, i));
      if (owner != null) {
        owner.promisedBytes.addAndGet(bytes);
      }
    }
    return null;
  }

  /** Whether it is known how much room a node has; what is to be copied to it waits for that. */
  public boolean knows(NodeId node) {
    return unlimited() || told.containsKey(node);
  }

  private boolean unlimited() {
    return budget.limitBytes() == Long.MAX_VALUE;
  }

  /** The bytes that a node can still take, as far as is known here. */
  public long roomBytes(NodeId node) {
    Told other = told.get(node);
    return other == null ? Long.MAX_VALUE : other.roomBytes();
  }

  /** Another node has taken a copy, which counts until it tells how much it uses then. */
  public void copied(NodeId node, long bytes) {
    Told other = told.get(node);
    if (other != null) {
      other.promisedBytes.addAndGet(bytes);
    }
  }

  /** Another node tells how much it uses. */
  public void heard(NodeId from, MemoryNotice notice) {
    told.put(from, new Told(notice, nowNanos, new AtomicLong()));
    anyTight = told.values().stream().anyMatch(Told::tight);
  }

  /** What every other node has told last. */
  public Map<NodeId, MemoryNotice> others() {
    Map<NodeId, MemoryNotice> notices = new HashMap<>();
    told.forEach((node, last) -> notices.put(node, last.notice));
    return notices;
  }

  /** What this node uses. */
  public MemoryNotice own() {
    return new MemoryNotice(Math.max(0, budget.usedBytes()), budget.limitBytes());
  }

  /** Time goes on: tells the others what they should know, and forgets who is silent. */
  public void tick(long now, NodeId self, SegmentTable table, Transport transport) {
    nowNanos = now;
    boolean forgotten =
        told.entrySet()
            .removeIf(
                entry ->
                    now - entry.getValue().heardNanos >= FORGET_NANOS
                        || table.member(entry.getKey()) == null);
    if (forgotten) {
      anyTight = told.values().stream().anyMatch(Told::tight);
    }
    Member member = table.member(self);
    if (unlimited() || member == null || member.capacity() == 0) {
      return;
    }
    long used = budget.usedBytes();
    boolean changed = Math.abs(used - toldBytes) >= budget.limitBytes() / STEP_PART;
    List<Member> members = table.members();
    if (changed || members != toldMembers || now - toldNanos >= REFRESH_NANOS) {
      toldBytes = used;
      toldNanos = now;
      toldMembers = members;
      Message notice = own();
      for (Member other : members) {
        if (!other.id().equals(self)) {
          transport.send(other.id(), notice);
        }
      }
    }
  }
}
