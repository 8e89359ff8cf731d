package dev.headrace.stream.protocol;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node's memory for streams: one budget of bytes for what all streams of the node have buffered
 * or in flight.
 *
 * <p>A stream draws a small base before its first request and keeps it until it ends, so a stream
 * that has begun can always go on. Beyond its base it grows while it is consumed: all streams that
 * have grown share half of the budget equally. When that half is used up, or no base is left,
 * paused streams give back what they have not handed over; they read it again when they go on. A
 * stream that finds no base waits.
 *
 * <p>Thread-safe. It calls no holder and no waiting stream while it holds its lock.
 */
public final class StreamMemory {

  /** The base of a stream, unless the stream's own budget is smaller. */
  public static final int BASE_BYTES = 16 << 10;

  /** The smallest budget that a node may have. */
  public static final long MIN_BUDGET_BYTES = 1 << 20;

  /**
   * How long room for a large entry is kept for a stream that asked for it and does not ask again.
   */
  static final long ASKING_NANOS = 1_000_000_000L;

  /** A stream that nobody has pulled for this long is paused. */
  public static final long PAUSED_NANOS = 200_000_000L;

  /** Paused streams are looked for at most this often. */
  static final long RECLAIM_PERIOD_NANOS = 10_000_000L;

  private final long budgetBytes;
  private final int baseBytes;

  // All guarded by this.
  private long bases;
  private long growth;
  private int streams;

  /** Streams that have grown beyond their base, or want to, and have not given back since. */
  private final Set<Account> grown = new LinkedHashSet<>();

  private final Map<Account, Runnable> waiting = new LinkedHashMap<>();
  private boolean reclaimed;
  private long reclaimedAtNanos;

  /**
   * The account that could not reserve room for a large entry; meanwhile the others do not grow.
   */
  private @Nullable Account asking;

  private long askedAtNanos;

  /** How much each stream may grow beyond its base; read without the lock. */
  private volatile long fairGrowth;

  /** A memory with the usual base. */
  public StreamMemory(long budgetBytes) {
    this(budgetBytes, BASE_BYTES);
  }

  /** A memory with another base. For tests. */
  public StreamMemory(long budgetBytes, int baseBytes) {
    if (budgetBytes < baseBytes || baseBytes < 1) {
      throw new IllegalArgumentException(
          "A budget of " + budgetBytes + " bytes is too small for one stream of " + baseBytes);
    }
    this.budgetBytes = budgetBytes;
    this.baseBytes = baseBytes;
    this.fairGrowth = growthLimit();
  }

  /** A stream that draws from the memory. */
  public interface Holder {

    /** If the stream is paused, releases what was received and not handed over. Never blocks. */
    void giveBackUnread();
  }

  /**
   * How a node's memory for streams is used.
   *
   * @param budgetBytes the budget
   * @param usedBytes the bytes that streams have drawn
   * @param streams the number of streams that hold memory
   * @param waiting the number of streams that wait for memory
   */
  public record Usage(long budgetBytes, long usedBytes, int streams, int waiting) {}

  /** Returns how the memory is used now. */
  public synchronized Usage usage() {
    return new Usage(budgetBytes, bases + growth, streams, waiting.size());
  }

  /** Makes all paused streams release what they have not handed over. */
  public void reclaim() {
    for (Account account : grownNow()) {
      account.holder.giveBackUnread();
    }
  }

  private synchronized List<Account> grownNow() {
    return new ArrayList<>(grown);
  }

  private void reclaim(Account asking, long nowNanos) {
    synchronized (this) {
      if (reclaimed && nowNanos - reclaimedAtNanos < RECLAIM_PERIOD_NANOS) {
        return;
      }
      reclaimed = true;
      reclaimedAtNanos = nowNanos;
    }
    for (Account account : grownNow()) {
      if (account != asking) {
        account.holder.giveBackUnread();
      }
    }
  }

  private long growthLimit() {
    return budgetBytes / 2;
  }

  private void forgetWhoAskedLongAgo(long nowNanos) {
    if (asking != null && nowNanos - askedAtNanos > ASKING_NANOS) {
      asking = null;
    }
  }

  private void share() {
    fairGrowth = asking == null ? growthLimit() / Math.max(1, grown.size()) : 0;
  }

  /** Takes the waiting streams for which there is room now. They are woken without the lock. */
  private List<Runnable> admitted() {
    List<Runnable> tasks = new ArrayList<>();
    long room = budgetBytes - bases - growth;
    Iterator<Runnable> next = waiting.values().iterator();
    for (; room >= baseBytes && next.hasNext(); room -= baseBytes) {
      tasks.add(next.next());
      next.remove();
    }
    return tasks;
  }

  /**
   * What one stream has drawn.
   *
   * <pre>
   * state    event    guard                 next     effects
   * new      begin    the base fits         begun    the base is drawn
   * new      begin    it does not           waiting  paused streams give back
   * waiting  room                           new      the stream is woken, to begin again
   * begun    resize                         begun    the window grows to a fair share at most, or
   *                                                  shrinks to what is in use
   * begun    reserve  the large entry fits  begun    the window is as large as the entry
   * begun    reserve  it does not           asking   paused streams give back; all others, and
   *                                                  this one, shrink to their bases
   * asking   reserve  the large entry fits  begun    the others may grow again
   * asking   1 s without another reserve    begun    the others may grow again
   * any      end                            ended    everything returns; who waits is woken
   * </pre>
   *
   * <p>Only one stream asks at a time. An account belongs to the stream's drain, or to whoever
   * gives back for it.
   */
  public final class Account {

    private final Holder holder;
    private boolean begun; // of the stream
    private int base; // of the stream once it has begun

    /** Changed under the lock, by the stream. */
    private long extra;

    /** An account with nothing on it. */
    public Account(Holder holder) {
      this.holder = holder;
    }

    /** What the stream may have buffered or in flight. */
    long window() {
      return base + extra;
    }

    /**
     * Draws the base.
     *
     * @param mostBytes the stream's own budget
     * @param wake runs when there may be room, if there is none now
     * @return whether the stream may begin
     */
    boolean begin(int mostBytes, long nowNanos, Runnable wake) {
      if (begun || tryToBegin(mostBytes)) {
        return true;
      }
      reclaim(this, nowNanos);
      synchronized (StreamMemory.this) {
        if (!tryToBegin(mostBytes)) {
          waiting.put(this, wake);
        }
        return begun;
      }
    }

    private boolean tryToBegin(int mostBytes) {
      synchronized (StreamMemory.this) {
        int wanted = Math.min(mostBytes, baseBytes);
        if (bases + growth + wanted > budgetBytes) {
          return false;
        }
        waiting.remove(this);
        bases += wanted;
        base = wanted;
        streams++;
        begun = true;
        return true;
      }
    }

    /**
     * Brings the window as near to the wanted size as the other streams allow. A share that has
     * become too large shrinks to what is in use.
     *
     * @param heldBytes what is buffered or in flight
     */
    void resize(long wantedWindow, long heldBytes, long nowNanos) {
      long wanted = Math.max(0, wantedWindow - base);
      if (extra == wanted && extra <= fairGrowth) {
        return;
      }
      if (fit(wanted, heldBytes, nowNanos)) {
        reclaim(this, nowNanos);
        fit(wanted, heldBytes, nowNanos);
      }
    }

    /** Resizes the window; returns whether it is smaller than wanted. */
    private boolean fit(long wanted, long heldBytes, long nowNanos) {
      List<Runnable> tasks;
      boolean tooLittle;
      synchronized (StreamMemory.this) {
        if (wanted > 0) {
          grown.add(this); // From now on it shares, and the others leave room.
        }
        forgetWhoAskedLongAgo(nowNanos);
        share();
        long target = Math.min(wanted, fairGrowth);
        long room = Math.min(growthLimit() - growth, budgetBytes - bases - growth);
        long next =
            target >= extra
                ? extra + Math.max(0, Math.min(target - extra, room))
                : Math.max(target, Math.min(extra, heldBytes - base));
        tooLittle = next < wanted;
        tasks = set(next);
      }
      tasks.forEach(Runnable::run);
      return tooLittle;
    }

    /**
     * Draws room for an entry that is larger than the stream's share. It comes out of the whole
     * budget, and streams that have grown shrink for it. An entry larger than the budget waits
     * until no other stream has grown.
     *
     * @return whether the window is that large now
     */
    boolean reserve(long bytes, long nowNanos, Runnable wake) {
      if (tryToReserve(bytes, nowNanos)) {
        return true;
      }
      reclaim(this, nowNanos);
      List<Runnable> tasks;
      synchronized (StreamMemory.this) {
        if (tryToReserve(bytes, nowNanos)) {
          return true;
        }
        if (asking == null) {
          asking = this;
        }
        askedAtNanos = asking == this ? nowNanos : askedAtNanos;
        share();
        waiting.remove(this);
        tasks = set(0); // Two streams that wait for each other's growth would wait for ever.
        waiting.put(this, wake);
      }
      tasks.forEach(Runnable::run);
      return false;
    }

    private boolean tryToReserve(long bytes, long nowNanos) {
      synchronized (StreamMemory.this) {
        forgetWhoAskedLongAgo(nowNanos);
        long others = growth - extra;
        long wanted = Math.max(extra, bytes - base);
        boolean fits = bases + others + wanted <= budgetBytes || others == 0;
        if (wanted > extra && !(fits && (asking == null || asking == this))) {
          return false;
        }
        waiting.remove(this);
        asking = asking == this ? null : asking;
        if (wanted > 0) {
          grown.add(this);
        }
        growth += wanted - extra;
        extra = wanted;
        share();
        return true;
      }
    }

    /** Gives back what the stream does not use beyond its base. */
    void shrink(long heldBytes) {
      List<Runnable> tasks;
      synchronized (StreamMemory.this) {
        tasks = settle(Math.max(0, Math.min(extra, heldBytes - base)));
      }
      tasks.forEach(Runnable::run);
    }

    /** Sets the growth beyond the base; returns what to run to wake waiting streams. */
    private List<Runnable> set(long next) {
      boolean less = next < extra;
      growth += next - extra;
      extra = next;
      return less ? admitted() : new ArrayList<>();
    }

    /** As {@link #set}; the stream no longer shares, until it wants to grow again. */
    private List<Runnable> settle(long next) {
      grown.remove(this);
      share();
      return set(next);
    }

    /** Gives everything back. Idempotent. */
    public void end() {
      List<Runnable> tasks;
      synchronized (StreamMemory.this) {
        waiting.remove(this);
        if (!begun) {
          return;
        }
        begun = false;
        streams--;
        bases -= base;
        base = 0;
        asking = asking == this ? null : asking;
        tasks = settle(0);
        tasks.addAll(admitted());
      }
      tasks.forEach(Runnable::run);
    }

    /** Why there is no memory, for an error message. */
    String shortage() {
      Usage now = usage();
      return "the node's memory for streams is used up: "
          + now.usedBytes()
          + " of "
          + now.budgetBytes()
          + " bytes by "
          + now.streams()
          + " streams, and "
          + now.waiting()
          + " more streams wait for it";
    }
  }
}
