package dev.headrace.cluster.catalogue;

import dev.headrace.api.CacheReport;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.message.CacheCounts;
import dev.headrace.cluster.message.CacheForgotten;
import dev.headrace.cluster.message.CountCaches;
import dev.headrace.cluster.message.ForgetCache;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node's part in counting and removing the caches of its cluster: it asks, and answers those that
 * ask. Thread-safe.
 */
public final class CacheInventory {
  private final CacheCounter counter;
  private final CacheSurvey survey;
  private final CacheRemoval removal;
  private final Executor answering;

  /**
   * @param transport takes messages to this node too
   * @param table the newest table; null before the first
   * @param patienceNanos how long a removal may take
   * @param answering runs answers, which read every replica
   */
  public CacheInventory(
      NodeId self,
      Lanes lanes,
      Transport transport,
      Supplier<@Nullable SegmentTable> table,
      long patienceNanos,
      Executor answering) {
    this.counter = new CacheCounter(self, lanes, transport);
    this.survey = new CacheSurvey(transport, table);
    this.removal = new CacheRemoval(transport, table, lanes::forget, patienceNanos);
    this.answering = answering;
  }

  /** Asks all data nodes for the sizes of their caches. */
  public CompletableFuture<CacheReport> count(long nowNanos) {
    return survey.begin(nowNanos);
  }

  /** Makes all nodes forget caches that were emptied. */
  public CacheRemoval removal() {
    return removal;
  }

  /** Takes a message if it is about caches; returns whether it is. */
  public boolean receive(NodeId from, Message message) {
    if (message instanceof CountCaches question) {
      answering.execute(() -> counter.asked(from, question));
    } else if (message instanceof CacheCounts counts) {
      survey.replied(from, counts);
    } else if (message instanceof ForgetCache request) {
      answering.execute(() -> removal.asked(from, request));
    } else if (message instanceof CacheForgotten answer) {
      removal.replied(from, answer);
    } else {
      return false;
    }
    return true;
  }

  /** Time has passed. */
  public void tick(long nowNanos) {
    survey.tick(nowNanos);
    removal.tick(nowNanos);
  }

  /** Fails everything that waits: the node closes. */
  public void close() {
    survey.close(new NodeClosedException("The node was closed before the caches were counted"));
    removal.close(new NodeClosedException("The node was closed before the cache was removed"));
  }

  /** Fails everything that waits: the node continues in another life. */
  public void retire(String reason) {
    survey.close(new UnavailableException(reason + ": ask again when it has joined"));
    removal.close(new UnavailableException(reason + ": remove the cache when it has joined"));
  }
}
