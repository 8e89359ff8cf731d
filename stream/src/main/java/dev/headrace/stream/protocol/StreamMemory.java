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
 * A node's memory for streams: one budget of bytes, from which all streams of the node draw what
 * they have buffered or in flight.
 *
 * <p>A stream draws a small base when it first asks for something, and keeps it until it ends, so
 * that a stream that has begun can always go on. What it may hold beyond its base grows while it is
 * consumed, up to an equal share of half of the budget among all streams that have grown. When that
 * half is used up, or no base is left, paused streams are asked to give back what they have not
 * handed over; they read it again when they go on. A stream that finds no base waits.
 *
 * <p>Thread-safe. No holder and no waiting stream is called while the lock is held.
 */
public final class StreamMemory {

  /** What a stream begins with and keeps, unless its own budget is smaller. */
  public static final int BASE_BYTES = 16 << 10;

  /** The smallest budget. */
  public static final long MIN_BUDGET_BYTES = 1 << 20;

  /** How long one who asks for room for a large entry is waited for to ask again. */
  static final long ASKING_NANOS = 1_000_000_000L;

  /** A stream that nobody has pulled for so long is paused. */
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

  /** Who could not reserve room for a large entry; the others do without growth meanwhile. */
  private @Nullable Account asking;

  private long askedAtNanos;

  /** What each may grow by; read without the lock. */
  private volatile long fairGrowth;

  /** A budget of so many bytes. */
  public StreamMemory(long budgetBytes) {
    this(budgetBytes, BASE_BYTES);
  }

  /** A budget from which streams begin with another base, for tests. */
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

    /** Gives back what was read and not handed over, if the stream is paused. Never blocks. */
    void giveBackUnread();
  }

  /**
   * How a node's memory for streams is used.
   *
   * @param budgetBytes the budget
   * @param usedBytes what streams have drawn
   * @param streams streams that hold memory
   * @param waiting streams that wait for memory to begin
   */
  public record Usage(long budgetBytes, long usedBytes, int streams, int waiting) {}

  /** How it is used now. */
  public synchronized Usage usage() {
    return new Usage(budgetBytes, bases + growth, streams, waiting.size());
  }

  /** Lets all paused streams give back what they have not handed over. */
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

  /** Those who wait and for whom there is room now, to be run without the lock. */
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
     * @param wake is run when it is worth to try again, should there be no room
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
     * Comes as near to a window as the others leave room for; a share that has become too large
     * shrinks as far as it is not in use.
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

    /** Returns whether there is less room than wanted. */
    private boolean fit(long wanted, long heldBytes, long nowNanos) {
      List<Runnable> tasks;
      boolean tooLittle;
      synchronized (StreamMemory.this) {
        if (wanted > 0) {
          grown.add(this); // Counts as one who shares, so that the others leave room.
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
     * Draws what an entry needs that is larger than the stream's share; of the whole budget, so
     * that streams that have grown leave room for it. One that is larger than that waits until no
     * other stream has grown.
     *
     * @return whether the window is as large now
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
        tasks = set(0); // Two who wait for each other would wait for ever.
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

    /** Gives back what is not in use beyond the base. */
    void shrink(long heldBytes) {
      List<Runnable> tasks;
      synchronized (StreamMemory.this) {
        tasks = settle(Math.max(0, Math.min(extra, heldBytes - base)));
      }
      tasks.forEach(Runnable::run);
    }

    /** Returns who is to be woken. */
    private List<Runnable> set(long next) {
      boolean less = next < extra;
      growth += next - extra;
      extra = next;
      return less ? admitted() : new ArrayList<>();
    }

    /** The same for one who does not share any more until it wants to grow again. */
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

    /** What an error tells about the memory that could not be had. */
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
          + " more wait";
    }
  }
}
