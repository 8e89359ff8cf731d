package dev.headrace.cluster.service;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.stream.operator.EntryUpdate.Action;
import dev.headrace.cluster.cache.Expiry;
import dev.headrace.replication.log.EntryDecision;
import dev.headrace.replication.log.ProcessorRun;
import dev.headrace.replication.message.Mutation.Change;
import dev.headrace.replication.message.Operation;
import dev.headrace.stream.function.EncodedUpdate;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs processors on entries of which this node is the primary, on the threads for functions.
 * Thread-safe.
 */
public final class ServedProcessors {
  private static final Logger LOG = LoggerFactory.getLogger(ServedProcessors.class);

  private final ServedReads.Functions functions;
  private final LongSupplier clusterMillis;

  /**
   * @param clusterMillis cluster time
   */
  public ServedProcessors(ServedReads.Functions functions, LongSupplier clusterMillis) {
    this.functions = functions;
    this.clusterMillis = clusterMillis;
  }

  /** See {@link dev.headrace.replication.lane.LaneHost#process}. */
  void process(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    try {
      functions.executor().execute(() -> decideApart(run, decided));
    } catch (RejectedExecutionException e) {
      LOG.debug("Too many calls of functions wait here, or the node closes: a processor waits");
      decided.accept(null);
    } catch (Error e) { // such as a thread that the system refuses
      LOG.error("A processor of cache " + run.operation().cache() + " could not be begun", e);
      decided.accept(null);
    }
  }

  /** Decides on a thread whose failures nobody else reports: the others of the key wait. */
  private void decideApart(ProcessorRun run, Consumer<@Nullable EntryDecision> decided) {
    EntryDecision decision = null;
    try {
      decision = decide(run);
    } catch (RuntimeException | Error e) {
      LOG.error("A processor of cache " + run.operation().cache() + " could not be run", e);
    }
    decided.accept(decision);
  }

  private EntryDecision decide(ProcessorRun run) {
    Operation operation = run.operation();
    byte[] call = requireNonNull(operation.expected(), "call");
    EncodedUpdate update =
        functions.table().process(call, operation.format(), operation.key(), run.value());
    Change change =
        switch (update.action()) {
          case KEEP -> Change.NONE;
          case SET -> Change.PUT;
          case REMOVE -> Change.REMOVE;
        };
    long expiryMillis = update.action() == Action.SET ? expiryMillis(update, run) : 0;
    return new EntryDecision(change, update.value(), expiryMillis, update.answer());
  }

  /** When a new value expires, in cluster time; 0 for never. */
  private long expiryMillis(EncodedUpdate update, ProcessorRun run) {
    Duration lifespan = update.lifespan();
    if (lifespan == null) {
      return run.value() == null ? run.operation().expiryMillis() : run.expiryMillis();
    }
    return Expiry.millis(lifespan, clusterMillis);
  }
}
