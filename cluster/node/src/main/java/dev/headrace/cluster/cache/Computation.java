package dev.headrace.cluster.cache;

import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A change of one key that depends on its value: read, decide, write if no other write came in
 * between, otherwise decide again. Used by one thread at a time.
 *
 * <p>The first attempt is made at once, unless another computation of this node has the key. A
 * computation that is overtaken queues with those of its node ({@link KeyQueues}). After {@link
 * #OVERTAKEN_ENOUGH} times it makes the primary reserve the key for this node.
 *
 * @param <V> values of the cache
 */
final class Computation<K, V> {

  /** After this many attempts in vain the next one reserves the key. */
  static final int OVERTAKEN_ENOUGH = 2;

  private final Requests<K, V> requests;
  private final Request get;
  private final EntryChange<V> change;
  private final @Nullable Duration lifespan;
  private final Retries retries;

  /** The entry as it was seen last. */
  private @Nullable OperationReply seen;

  /** Whether {@link #seen} may be older than this computation. */
  private boolean hearsay;

  private @Nullable V result;
  private @Nullable Request write;
  private boolean reserved;

  /**
   * @param lifespan the lifespan of what is written; null to keep the entry's remaining one
   * @throws IllegalArgumentException if the lifespan is not positive
   */
  Computation(
      Requests<K, V> requests,
      K key,
      EntryChange<V> change,
      @Nullable Duration lifespan,
      Retries retries) {
    if (lifespan != null) {
      Expiry.checkLifespan(lifespan);
    }
    this.requests = requests;
    this.lifespan = lifespan;
    this.get = requests.get(key, true);
    this.change = change;
    this.retries = retries;
  }

  /** The request that reads the entry. */
  Request get() {
    return get;
  }

  byte[] key() {
    return get.key();
  }

  /** Takes over the entry as the computation before has left it. */
  void begin(KeyQueues.Permit permit) {
    OperationReply left = permit.left();
    if (left != null) {
      seen = left;
      hearsay = true;
    }
  }

  /** Whether the entry has to be read before anything can be decided. */
  boolean mustRead() {
    return seen == null;
  }

  /** The entry has been read. */
  void read(OperationReply reply) {
    seen = reply;
    hearsay = false;
  }

  /**
   * Decides by the seen entry. The result is a write, or the entry has to be {@linkplain #mustRead
   * read} first, or this is the end.
   *
   * @return the write, or null
   */
  @Nullable Request decide() {
    OperationReply present = seen;
    if (present == null) {
      throw new IllegalStateException("nothing has been read");
    }
    EntryChange.Decision<V> decision = change.decide(requests.value(present));
    write = null;
    if (decision.write()) {
      Request conditional = requests.ifUnchanged(get.key(), present, decision.value(), lifespan);
      write = retries.attempts() >= OVERTAKEN_ENOUGH ? conditional.reserving() : conditional;
    } else if (hearsay) {
      seen = null; // Only a write proves that the entry is still the same.
    }
    result = decision.value();
    return write;
  }

  /**
   * The write has been answered.
   *
   * @return whether the write took effect, so that this is the end
   * @throws dev.headrace.api.error.UnavailableException if it has been overtaken for too long
   */
  boolean written(OperationReply reply) {
    Request written = write;
    if (written == null) {
      throw new IllegalStateException("nothing was to be written");
    }
    reserved = written.reserve() && !reply.applied();
    if (reply.applied()) {
      seen =
          new OperationReply(
              0,
              Outcome.DONE,
              written.value() != null,
              written.value(),
              reply.versionTerm(),
              reply.versionCounter(),
              written.expiryMillis(),
              reply.epoch());
      return true;
    }
    read(reply);
    retries.again();
    return false;
  }

  /** The value afterwards. */
  @Nullable V result() {
    return result;
  }

  /** The entry as this computation leaves it, if that is known. */
  @Nullable OperationReply leaves() {
    return seen;
  }

  /** The request that gives back an unused reservation of this node; null if there is none. */
  @Nullable Request release() {
    return reserved ? Request.release(get.cache(), get.format(), get.key()) : null;
  }
}
