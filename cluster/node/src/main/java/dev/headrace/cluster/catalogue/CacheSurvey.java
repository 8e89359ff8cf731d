package dev.headrace.cluster.catalogue;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.message.CacheCounts;
import dev.headrace.cluster.message.CountCaches;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what all data nodes hold of each cache. It asks each node once, and again if no answer
 * comes. If the answers do not count every segment once, because segments have moved meanwhile, it
 * asks all nodes anew, until its time is up. Thread-safe.
 */
final class CacheSurvey {

  /** The most surveys under way; further ones are refused. */
  static final int MAX_UNDER_WAY = 64;

  /** How long to wait for a node before asking it again, or asking all nodes anew. */
  static final long RESEND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** After this time the answers are added up, even if some are missing. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Transport transport;
  private final Supplier<@Nullable SegmentTable> table;

  // Guarded by this.
  private final List<Round> rounds = new ArrayList<>();
  private long numbers;
  private @Nullable HeadraceException closed;

  /**
   * @param transport takes messages to this node too
   * @param table the newest table; null before the first
   */
  CacheSurvey(Transport transport, Supplier<@Nullable SegmentTable> table) {
    this.transport = transport;
    this.table = table;
  }

  /** Begins a survey. The result comes on a thread of the node, which must not be blocked. */
  CompletableFuture<CacheReport> begin(long nowNanos) {
    SegmentTable now = table.get();
    CompletableFuture<CacheReport> done = new CompletableFuture<>();
    if (now == null) {
      return CompletableFuture.failedFuture(
          new UnavailableException("This node has no segment table yet; wait until it has joined"));
    }
    Round round = new Round(now, nowNanos, done);
    synchronized (this) {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      if (rounds.size() == MAX_UNDER_WAY) {
        return CompletableFuture.failedFuture(
            new UnavailableException(
                "%d calls of caches() are under way on this node; wait for some to end"
                    .formatted(MAX_UNDER_WAY)));
      }
      rounds.add(round);
    }
    round.askAll(nowNanos);
    return done;
  }

  /** A node tells what it holds. */
  void replied(NodeId from, CacheCounts counts) {
    Share share = find(from, counts.number());
    if (share != null) {
      share.answered(counts);
    }
  }

  private synchronized @Nullable Share find(NodeId from, long number) {
    for (Round round : rounds) {
      Share share = round.shares.get(from);
      if (share != null && share.number == number) {
        return share;
      }
    }
    return null;
  }

  /** Time has passed: asks again, and ends surveys whose time is up. */
  void tick(long nowNanos) {
    List<Round> present;
    synchronized (this) {
      if (rounds.isEmpty()) {
        return;
      }
      present = List.copyOf(rounds);
    }
    present.forEach(round -> round.tick(nowNanos));
  }

  /** Fails all surveys under way, and refuses further ones. */
  void close(HeadraceException reason) {
    List<Round> left;
    synchronized (this) {
      closed = reason;
      left = List.copyOf(rounds);
      rounds.clear();
    }
    left.forEach(round -> round.done.completeExceptionally(reason));
  }

  private synchronized long nextNumber() {
    return ++numbers;
  }

  private synchronized boolean end(Round round) {
    return rounds.remove(round);
  }

  /** The state of one call. Not a record, since two may be equal. */
  private final class Round {
    private final CompletableFuture<CacheReport> done;
    private final long sinceNanos;
    private SegmentTable asked; // guarded by the survey
    private long askedNanos; // guarded by the survey
    private Map<NodeId, Share> shares; // replaced under the survey's monitor, never changed

    Round(SegmentTable now, long nowNanos, CompletableFuture<CacheReport> done) {
      this.done = done;
      this.sinceNanos = nowNanos;
      this.askedNanos = nowNanos;
      this.asked = now;
      this.shares = shares(now);
    }

    private Map<NodeId, Share> shares(SegmentTable now) {
      Map<NodeId, Share> all = new HashMap<>();
      for (Member member : now.members()) {
        if (member.capacity() > 0) {
          all.put(member.id(), new Share(this, member));
        }
      }
      return all;
    }

    void askAll(long nowNanos) {
      List<Share> all;
      synchronized (CacheSurvey.this) {
        askedNanos = nowNanos;
        all = List.copyOf(shares.values());
      }
      all.forEach(Share::ask);
    }

    void tick(long nowNanos) {
      boolean over = nowNanos - sinceNanos >= PATIENCE_NANOS;
      if (over) {
        tell();
        return;
      }
      SegmentTable newest = table.get();
      List<Share> silent;
      synchronized (CacheSurvey.this) {
        if (nowNanos - askedNanos < RESEND_NANOS) {
          return;
        }
        askedNanos = nowNanos;
        silent = shares.values().stream().filter(share -> !share.complete).toList();
        boolean gone =
            newest != null
                && silent.stream().anyMatch(share -> newest.member(share.member.id()) == null);
        if (newest != null && (silent.isEmpty() || gone)) {
          asked = newest;
          shares = shares(newest);
          silent = List.copyOf(shares.values());
        }
      }
      silent.forEach(Share::ask);
    }

    /**
     * A node has told everything. If all have, and every segment is counted once, the survey ends.
     */
    void shareEnded() {
      boolean ends;
      synchronized (CacheSurvey.this) {
        ends = allCounted();
      }
      if (ends) {
        tell();
      }
    }

    private boolean allCounted() {
      int counted = shares.values().stream().mapToInt(share -> share.primarySegments).sum();
      return shares.values().stream().allMatch(share -> share.complete)
          && counted == asked.segments() - asked.lostSegments().size();
    }

    private void tell() {
      if (!end(this)) {
        return;
      }
      CacheReport report;
      synchronized (CacheSurvey.this) {
        NavigableMap<String, CacheStatus> caches = new TreeMap<>();
        List<String> missing = new ArrayList<>();
        for (Share share : shares.values()) {
          String node = share.member.name();
          share.rows.forEach(row -> caches.merge(row.cache(), status(node, row), Round::sum));
          if (!share.complete) {
            missing.add(node);
          }
        }
        missing.sort(null);
        report = new CacheReport(List.copyOf(caches.values()), missing, allCounted());
      }
      done.complete(report);
    }

    private static CacheStatus status(String node, CacheCounts.Row row) {
      return new CacheStatus(
          row.cache(),
          row.entries(),
          row.bytes(),
          row.replicaBytes(),
          Catalogue.keyFormat(row.formats()),
          Catalogue.valueFormat(row.formats()),
          List.of(new CacheStatus.Share(node, row.entries(), row.bytes(), row.replicaBytes())));
    }

    private static CacheStatus sum(CacheStatus one, CacheStatus other) {
      CacheStatus noted = one.keyFormat() == null ? other : one;
      return new CacheStatus(
          one.name(),
          one.entries() + other.entries(),
          one.bytes() + other.bytes(),
          one.replicaBytes() + other.replicaBytes(),
          noted.keyFormat(),
          noted.valueFormat(),
          Stream.concat(one.nodes().stream(), other.nodes().stream())
              .sorted(Comparator.comparing(CacheStatus.Share::node))
              .toList());
    }
  }

  /** What one node has told. */
  private final class Share {
    private final Round round;
    private final Member member;

    // Guarded by the survey.
    private final List<CacheCounts.Row> rows = new ArrayList<>();
    private long number;
    private int primarySegments;
    private boolean complete;

    Share(Round round, Member member) {
      this.round = round;
      this.member = member;
    }

    void ask() {
      CountCaches question;
      synchronized (CacheSurvey.this) {
        number = nextNumber();
        question = new CountCaches(number, rows.isEmpty() ? "" : rows.get(rows.size() - 1).cache());
      }
      transport.send(member.id(), question);
    }

    void answered(CacheCounts counts) {
      synchronized (CacheSurvey.this) {
        if (counts.number() != number) {
          return;
        }
        number = 0;
        rows.addAll(counts.rows());
        primarySegments = counts.primarySegments();
        complete = !counts.more();
      }
      if (counts.more()) {
        ask();
      } else {
        round.shareEnded();
      }
    }
  }
}
