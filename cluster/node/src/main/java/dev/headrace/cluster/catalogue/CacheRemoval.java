package dev.headrace.cluster.catalogue;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.message.CacheForgotten;
import dev.headrace.cluster.message.ForgetCache;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes all members forget caches that are empty, so that others can be opened under their names.
 * Asks those again that do not answer, and those that join meanwhile. Thread-safe.
 */
public final class CacheRemoval {
  /** How long to wait for a node before asking it again. */
  static final long RESEND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Transport transport;
  private final Supplier<@Nullable SegmentTable> table;
  private final Predicate<String> forget;
  private final long patienceNanos;
  private volatile Consumer<String> forgetting = cache -> {};

  // Guarded by this.
  private final List<Round> rounds = new ArrayList<>();
  private long numbers;
  private @Nullable HeadraceException closed;

  /**
   * @param transport takes messages to this node too
   * @param table the newest table; null before the first
   * @param forget forgets a cache on this node, unless it holds entries of it
   * @param patienceNanos how long a removal may take
   */
  CacheRemoval(
      Transport transport,
      Supplier<@Nullable SegmentTable> table,
      Predicate<String> forget,
      long patienceNanos) {
    this.transport = transport;
    this.table = table;
    this.forget = forget;
    this.patienceNanos = patienceNanos;
  }

  /** Why no cache can be removed now; null if some can. */
  public @Nullable HeadraceException objection() {
    SegmentTable now = table.get();
    if (now == null) {
      return new UnavailableException(
          "This node has no segment table yet; wait until it has joined");
    }
    int protocol = now.header().protocol();
    return protocol >= ForgetCache.PROTOCOL
        ? null
        : new UnavailableException(
            ("Caches can be removed once all nodes know version %d of the protocol, and this"
                    + " cluster speaks version %d: upgrade the nodes that are left, or clear the"
                    + " cache")
                .formatted(ForgetCache.PROTOCOL, protocol));
  }

  /** Begins to make all members forget a cache. The result comes on a thread of the node. */
  public CompletableFuture<@Nullable Void> begin(String cache, long nowNanos) {
    HeadraceException objection = objection();
    if (objection != null) {
      return CompletableFuture.failedFuture(objection);
    }
    Round round;
    synchronized (this) {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      round = new Round(cache, ++numbers, nowNanos);
      rounds.add(round);
    }
    round.ask();
    return round.done;
  }

  /** Tells somebody, from now on, which caches this node forgets. */
  public void onForget(Consumer<String> listener) {
    forgetting = listener;
  }

  /** A node removes a cache. */
  void asked(NodeId from, ForgetCache request) {
    boolean forgotten = forget.test(request.cache());
    if (forgotten) {
      forgetting.accept(request.cache());
    }
    transport.send(from, new CacheForgotten(request.number(), forgotten));
  }

  /** A node has forgotten a cache, or tells that it still holds some of it. */
  void replied(NodeId from, CacheForgotten answer) {
    Round round;
    synchronized (this) {
      round = rounds.stream().filter(one -> one.number == answer.number()).findAny().orElse(null);
    }
    if (round != null) {
      round.answered(from, answer.forgotten());
    }
  }

  /** Time has passed: asks again, and ends removals whose time is up. */
  void tick(long nowNanos) {
    List<Round> present;
    synchronized (this) {
      present = List.copyOf(rounds);
    }
    present.forEach(round -> round.tick(nowNanos));
  }

  /** Fails all removals under way, and refuses further ones. */
  void close(HeadraceException reason) {
    List<Round> left;
    synchronized (this) {
      closed = reason;
      left = List.copyOf(rounds);
      rounds.clear();
    }
    left.forEach(round -> round.done.completeExceptionally(reason));
  }

  private synchronized boolean end(Round round) {
    return rounds.remove(round);
  }

  /** The state of one removal. */
  private final class Round {
    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    private final String cache;
    private final long number;
    private final long sinceNanos;

    // Guarded by the removal.
    private final Set<NodeId> forgotten = new HashSet<>();
    private final Set<NodeId> holding = new HashSet<>();
    private long askedNanos;

    Round(String cache, long number, long nowNanos) {
      this.cache = cache;
      this.number = number;
      this.sinceNanos = nowNanos;
      this.askedNanos = nowNanos;
    }

    void ask() {
      silent().forEach(member -> transport.send(member.id(), new ForgetCache(number, cache)));
    }

    private List<Member> silent() {
      SegmentTable now = table.get();
      List<Member> members = now == null ? List.of() : now.members();
      synchronized (CacheRemoval.this) {
        return members.stream().filter(member -> !forgotten.contains(member.id())).toList();
      }
    }

    /**
     * Who holds entries is asked again: it may be about to drop a copy that has moved on, or
     * somebody writes.
     */
    void answered(NodeId from, boolean hasForgotten) {
      synchronized (CacheRemoval.this) {
        if (hasForgotten) {
          forgotten.add(from);
          holding.remove(from);
        } else {
          holding.add(from);
        }
      }
      if (silent().isEmpty() && end(this)) {
        done.complete(null);
      }
    }

    void tick(long nowNanos) {
      List<Member> silent = silent();
      if (silent.isEmpty()) {
        if (end(this)) {
          done.complete(null);
        }
      } else if (nowNanos - sinceNanos >= patienceNanos) {
        fail(overdue(silent));
      } else {
        boolean due;
        synchronized (CacheRemoval.this) {
          due = nowNanos - askedNanos >= RESEND_NANOS;
          askedNanos = due ? nowNanos : askedNanos;
        }
        if (due) {
          ask();
        }
      }
    }

    private HeadraceException overdue(List<Member> left) {
      List<Member> holders;
      synchronized (CacheRemoval.this) {
        holders = left.stream().filter(member -> holding.contains(member.id())).toList();
      }
      return holders.isEmpty()
          ? new OutcomeUnknownException(
              "Cache \"%s\" is empty, but %s did not answer whether they have forgotten it: remove it again"
                  .formatted(cache, left),
              FaultScope.ofCache(cache))
          : new HeadraceException(
              "Cache \"%s\" was emptied, but %s hold entries of it again: stop the programs that write to it, and remove it again"
                  .formatted(cache, holders),
              FaultScope.ofCache(cache),
              null);
    }

    private void fail(HeadraceException cause) {
      if (end(this)) {
        done.completeExceptionally(cause);
      }
    }
  }
}
