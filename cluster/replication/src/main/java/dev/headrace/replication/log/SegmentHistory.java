package dev.headrace.replication.log;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.ResultWindow;
import dev.headrace.replication.message.Standing;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.change.ChangeKind;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What this node has of one segment's history: how far it is applied to the replica, its end that
 * other owners may still need, and the results that callers may still ask for. Guarded by the lane.
 *
 * <p>Invariants: {@code stable <= applied}; the mutations in {@code (stable, applied]} are kept; of
 * two owners of an epoch one has the other's history as its beginning.
 */
public final class SegmentHistory {
  /** About how many bytes of results go to a learner; older ones become unknown. */
  private static final long MAX_RESULT_BYTES = 1 << 20;

  private final SegmentStore store;
  private final ResultMemory memory;
  private final int segment;
  private final boolean previousValues;
  private final ChangeLog changes;
  private final RecentMutations recent = new RecentMutations();
  private final Map<NodeId, ClientResults> results = new HashMap<>(4);
  private long appliedSequence;
  private long appliedTerm;
  private boolean inSync;
  private boolean copy;
  private boolean content;
  private long inSyncUnder;
  private long lostUnder;
  private long toldUnder;
  private long beganUnder;
  private long servedTerm;
  private long stableSequence;
  private long newestEpoch;

  public SegmentHistory(LaneCache cache, int segment) {
    this(
        cache.store(),
        cache.results(),
        segment,
        cache.retention().retainsPrevious(),
        new ChangeLog(cache.retention()));
  }

  private SegmentHistory(
      SegmentStore store,
      ResultMemory memory,
      int segment,
      boolean previousValues,
      ChangeLog changes) {
    this.store = store;
    this.memory = memory;
    this.segment = segment;
    this.previousValues = previousValues;
    this.changes = changes;
  }

  /**
   * The history of a replica that begins at nothing. It remembers what this node once had and has
   * not any more; what its replica, the callers' results and the mutations were is gone.
   */
  public SegmentHistory successor() {
    forgetResults();
    changes.restart(0, 0, 0);
    SegmentHistory next = new SegmentHistory(store, memory, segment, previousValues, changes);
    next.content = content;
    next.lostUnder = lostUnder;
    next.toldUnder = toldUnder;
    next.beganUnder = beganUnder;
    return next;
  }

  /** The segment begins anew: what was before does not matter any more. */
  public void forgetPast() {
    content = false;
    lostUnder = 0;
    inSyncUnder = 0;
    beganUnder = 0;
  }

  /** The last mutation that the replica has. */
  public long appliedSequence() {
    return appliedSequence;
  }

  /** The term of that mutation, 0 if there is none. */
  public long appliedTerm() {
    return appliedTerm;
  }

  /**
   * The newest term of which this node knows that its primary served, 0 if there is none. A
   * mutation is proof of it, too: a primary makes none before.
   */
  public long servedTerm() {
    return Math.max(servedTerm, appliedTerm);
  }

  /** A primary of a term serves. */
  public void served(long term) {
    servedTerm = Math.max(servedTerm, term);
  }

  /** Up to here every owner and every learner has the history, as far as this node knows. */
  public long stableSequence() {
    return stableSequence;
  }

  /**
   * Whether this node, as one of the present owners, knows that it has everything that was ever
   * acknowledged.
   */
  public boolean inSync() {
    return inSync;
  }

  /**
   * This node has everything that was acknowledged.
   *
   * @param segmentEpoch the epoch of the owners under which it has
   */
  public void becomeInSync(long segmentEpoch) {
    inSync = true;
    copy = true;
    inSyncUnder = segmentEpoch;
  }

  /** There are other owners, and this node cannot know what they have acknowledged. */
  public void loseSync() {
    inSync = false;
  }

  /** Whether the replica has every mutation up to the last one that is applied. */
  public boolean copy() {
    return copy;
  }

  /** What was missing in the replica has come. */
  public void completeCopy() {
    if (!copy) {
      changes.restart(appliedSequence, appliedTerm, stableSequence);
    }
    copy = true;
  }

  /**
   * The replica is given up for another copy.
   *
   * @param segmentEpoch the epoch of the present owners
   */
  public void loseCopy(long segmentEpoch) {
    if (copy) {
      lostUnder = Math.max(lostUnder, segmentEpoch);
    }
    copy = false;
    inSync = false;
    inSyncUnder = 0;
  }

  /**
   * Something was written in this incarnation of the segment, whether this node has it or not.
   *
   * @param began as in {@link Standing#beganUnder}, as somebody says who has the content; 0 if that
   *     one does not know
   */
  public void noteContent(long began) {
    content = true;
    beganUnder = Math.max(beganUnder, began);
  }

  /** What this node can say of its copy. */
  public Standing standing() {
    return new Standing(copy, content, inSyncUnder, lostUnder, toldUnder, beganUnder);
  }

  /**
   * This node has told a primary what it has.
   *
   * @param segmentEpoch the epoch of the owners of which that is the primary
   */
  public void told(long segmentEpoch) {
    toldUnder = Math.max(toldUnder, segmentEpoch);
  }

  public RecentMutations recent() {
    return recent;
  }

  /** What readers of changes are told. */
  public ChangeLog changes() {
    return changes;
  }

  public SegmentStore store() {
    return store;
  }

  /** The replica, which must be there: a lane has a role only while it holds one. */
  public Replica replica() {
    Replica replica = store.replica(segment);
    if (replica == null) {
      throw new IllegalStateException("segment " + segment + " has a lane, but no replica");
    }
    return replica;
  }

  /** A key's position. */
  public long position(byte[] key) {
    return store.space().position(store.space().hash(key));
  }

  /**
   * Applies the next mutation.
   *
   * @throws RuntimeException if the store refuses it; nothing has changed then
   */
  public void apply(Mutation mutation) {
    follow(mutation, null, true);
    copy = true;
  }

  /**
   * Takes note of the next mutation, and applies it as far as the replica has been copied.
   *
   * @param copiedTo up to where the replica has content; null for everywhere
   * @throws RuntimeException if the store refuses it; nothing has changed then
   */
  public void follow(Mutation mutation, @Nullable Cursor copiedTo) {
    follow(mutation, copiedTo, copy);
  }

  /**
   * @param recorded whether readers of changes are told: only a whole copy knows what was there
   *     before
   */
  private void follow(Mutation mutation, @Nullable Cursor copiedTo, boolean recorded) {
    if (mutation.firstSequence() != appliedSequence + 1) {
      throw new IllegalStateException(
          "mutation %d of segment %d does not follow %d"
              .formatted(mutation.firstSequence(), segment, appliedSequence));
    }
    if (mutation.change() == Mutation.Change.PUT_ALL) {
      putAll(mutation, copiedTo, recorded);
    } else if (recorded) {
      changeAndRecord(mutation);
    } else if (copiedTo == null
        || mutation.change() == Mutation.Change.CLEAR
        || copiedTo.covers(position(mutation.key()), mutation.key())) {
      change(mutation);
    }
    content = true;
    if (appliedSequence == 0) {
      beganUnder = Math.max(beganUnder, mutation.term());
    }
    appliedTerm = mutation.term();
    appliedSequence = mutation.sequence();
    recent.add(mutation);
    OperationId id = mutation.id();
    if (!id.isNone()) {
      resultsOf(id.caller()).record(mutation);
    }
  }

  private void putAll(Mutation mutation, @Nullable Cursor copiedTo, boolean recorded) {
    EntryPuts puts = new EntryPuts(mutation, this, segment);
    if (recorded) {
      puts.putAndRecord(changes, previousValues);
    } else {
      puts.put(null, copiedTo);
    }
  }

  /** The last mutation behind one that removes everything; that one if there is none. */
  public long lastClear(long behind) {
    long last = behind;
    for (long next = behind; next < appliedSequence; ) {
      Mutation mutation = recent.get(next + 1);
      next = mutation.sequence();
      last = mutation.change() == Mutation.Change.CLEAR ? next : last;
    }
    return last;
  }

  /**
   * Applies the mutations behind one again, to a range of which the content may lack them.
   *
   * @param from the range begins behind it
   * @param to where it ends; null for the end of the segment
   */
  public void applyAgain(long behind, Cursor from, @Nullable Cursor to) {
    for (long next = behind; next < appliedSequence; ) {
      Mutation mutation = recent.get(next + 1);
      next = mutation.sequence();
      if (mutation.change() == Mutation.Change.PUT_ALL) {
        new EntryPuts(mutation, this, segment).put(from, to);
        continue;
      }
      byte[] key = mutation.key();
      long position = position(key);
      if (!from.covers(position, key) && (to == null || to.covers(position, key))) {
        change(mutation);
      }
    }
  }

  private void changeAndRecord(Mutation mutation) {
    boolean keyed =
        mutation.change() == Mutation.Change.PUT || mutation.change() == Mutation.Change.REMOVE;
    byte[] key = mutation.key();
    byte[] previous = null;
    if (keyed && previousValues) {
      previous = replica().valueEvenIfExpired(position(key), key);
    }
    boolean cleared = mutation.change() == Mutation.Change.CLEAR && replica().entries() > 0;
    boolean applied = change(mutation);
    ChangeKind kind =
        switch (mutation.change()) {
          case NONE -> null;
          case PUT -> applied ? ChangeKind.CREATED : ChangeKind.UPDATED;
          case REMOVE -> applied ? removal(mutation) : null;
          case CLEAR -> cleared ? ChangeKind.CLEARED : null;
          case PUT_ALL -> throw new IllegalArgumentException("several entries are put otherwise");
        };
    if (kind == null) {
      changes.skip(mutation.sequence(), mutation.term());
    } else {
      changes.add(kind, mutation.sequence(), mutation.term(), key, mutation.value(), previous);
    }
  }

  /** Nobody asks for the removal of what has expired. */
  private static ChangeKind removal(Mutation mutation) {
    return mutation.id().isNone() ? ChangeKind.EXPIRED : ChangeKind.REMOVED;
  }

  /** Returns whether a put has added the key, or a removal removed it. */
  private boolean change(Mutation mutation) {
    byte[] key = mutation.key();
    switch (mutation.change()) {
      case NONE -> {}
      case PUT -> {
        return put(mutation);
      }
      case REMOVE -> {
        return replica().remove(position(key), key);
      }
      case CLEAR -> replica().clear();
      case PUT_ALL -> throw new IllegalArgumentException("several entries are put otherwise");
    }
    return false;
  }

  private boolean put(Mutation mutation) {
    byte[] key = mutation.key();
    byte[] value = mutation.value();
    if (value == null) {
      throw new IllegalArgumentException("a put without a value in segment " + segment);
    }
    return replica()
        .put(
            position(key),
            key,
            value,
            mutation.term(),
            mutation.sequence(),
            mutation.expiryMillis());
  }

  /** Begins anew behind a mutation, without its predecessors. */
  public void restart(long sequence, long term) {
    appliedSequence = sequence;
    appliedTerm = term;
    content |= sequence > 0;
    stableSequence = sequence;
    recent.restart(sequence, term);
    changes.restart(sequence, term, sequence);
    forgetResults();
  }

  /** Callers get no results from this any more; to be called when it is given up. */
  public void forgetResults() {
    results.values().forEach(ClientResults::clear);
    results.clear();
  }

  /** A caller has received the results below one of its numbers. */
  public void received(NodeId caller, long oldestOutstanding) {
    ClientResults ofCaller = results.get(caller);
    if (ofCaller != null) {
      ofCaller.forgetBelow(oldestOutstanding);
    }
  }

  /** Learns up to where all have the history; it never goes back. */
  public void stable(long sequence) {
    changes.stable(sequence);
    if (sequence > stableSequence) {
      stableSequence = sequence;
      recent.dropThrough(sequence);
    }
  }

  /**
   * Every owner has the history up to here, and callers have been told; learners may lack it. It
   * cannot be undone any more, and readers of changes may know.
   */
  public void acknowledged(long sequence) {
    changes.stable(sequence);
  }

  /** What callers may still ask for, as far as it fits a message. */
  List<ResultWindow> windows() {
    List<ResultWindow> windows = new ArrayList<>(results.size());
    long bytesEach = MAX_RESULT_BYTES / Math.max(1, results.size());
    results.forEach((caller, kept) -> windows.add(kept.window(caller, bytesEach)));
    return windows;
  }

  public void merge(List<ResultWindow> windows) {
    windows.forEach(window -> resultsOf(window.caller()).merge(window));
  }

  ClientResults resultsOf(NodeId caller) {
    return results.computeIfAbsent(caller, absent -> new ClientResults(memory));
  }

  public ResultWindow.@Nullable Result find(OperationId id) {
    ClientResults ofCaller = results.get(id.caller());
    return ofCaller == null ? null : ofCaller.find(id.sequence());
  }

  public boolean forgotten(OperationId id) {
    ClientResults ofCaller = results.get(id.caller());
    return ofCaller != null && ofCaller.forgotten(id.sequence());
  }

  /**
   * Results are about to come from a node with the table of an epoch: perhaps of callers that have
   * come back by a table that this node does not know yet.
   */
  public void learnsUnder(long epoch) {
    newestEpoch = Math.max(newestEpoch, epoch);
  }

  /**
   * Forgets callers that have left: from them nothing is accepted any more. A caller that is in
   * neither table has joined by one that this node does not know yet; one that is not in this table
   * may be in a later one, under which its results have come.
   */
  public void forgetLeavers(SegmentTable before, SegmentTable now) {
    if (!now.sharesMembers(before) && now.epoch() >= newestEpoch) {
      forget((caller, kept) -> now.member(caller) == null && before.member(caller) != null);
    }
  }

  /**
   * Forgets callers that were no members when this was called last, and are none now. A caller may
   * have left by a table that this node has stepped over, or its results may have come after it had
   * left; one that has just joined by a table that this node does not know yet must not be
   * forgotten, so this is to be called seldom.
   */
  public void forgetStrangers(SegmentTable table) {
    if (table.epoch() >= newestEpoch) {
      forget((caller, kept) -> kept.staysStranger(table.member(caller) != null));
    }
  }

  private void forget(BiPredicate<NodeId, ClientResults> gone) {
    results
        .entrySet()
        .removeIf(
            entry -> {
              boolean forgotten = gone.test(entry.getKey(), entry.getValue());
              if (forgotten) {
                entry.getValue().clear();
              }
              return forgotten;
            });
  }

  /** The mutations behind one, as many as fit an answer. */
  List<Mutation> after(long sequence) {
    List<Mutation> tail = new ArrayList<>();
    long bytes = 0;
    long next = Math.max(sequence + 1, recent.firstSequence());
    while (next <= appliedSequence
        && tail.size() < History.MAX_MUTATIONS
        && bytes < LaneSettings.MAX_HISTORY_BYTES) {
      Mutation mutation = recent.get(next);
      tail.add(mutation);
      bytes += mutation.approximateBytes();
      next = mutation.sequence() + 1;
    }
    return tail;
  }
}
