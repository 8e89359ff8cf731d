package dev.headrace.cluster.ingest.batch;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.cache.Failures;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.OperationReply;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One record on its way from the source into the cache. The loop alone uses it, but for how it
 * ended and how often it was sent again, which other threads write.
 */
public final class PendingWrite implements Completion {
  /** What a record takes in memory beside its bytes, about. */
  public static final int OVERHEAD_BYTES = 200;

  private final Consumer<PendingWrite> ended;
  private final AtomicInteger resent = new AtomicInteger();

  /** What is to be done; null as long as a value has no key. */
  private @Nullable Request request;

  /** A value that has no key yet. */
  private final byte @Nullable [] value;

  private final long expiryMillis; // of such a value

  private long number;
  private long heldBytes;
  private long hash;
  private int segment = -1;
  private @Nullable WriteBatch batch;
  private boolean sent;
  private long firstSentNanos;
  private long retryAtNanos;

  /** The next write of the same key, which waits for this one. */
  @Nullable PendingWrite successor;

  /** The next in its bucket of {@link PendingKeys}. */
  @Nullable PendingWrite bucketNext;

  /** The next in the list of those that have ended; written before it is published. */
  @Nullable PendingWrite endedNext;

  // Published by the list of those that have ended.
  private boolean applied;
  private @Nullable OperationFault fault;

  /** An entry. */
  public PendingWrite(Request request, Consumer<PendingWrite> ended) {
    this.request = request;
    this.value = null;
    this.expiryMillis = 0;
    this.ended = ended;
    this.heldBytes = bytes() + (long) OVERHEAD_BYTES;
  }

  /**
   * A value without a key.
   *
   * @param expiryMillis when its entry expires, in cluster time; 0 for never
   */
  public PendingWrite(byte[] value, long expiryMillis, Consumer<PendingWrite> ended) {
    this.value = value;
    this.expiryMillis = expiryMillis;
    this.ended = ended;
    this.heldBytes = bytes() + (long) OVERHEAD_BYTES;
  }

  public Request request() {
    Request present = request;
    if (present == null) {
      throw new IllegalStateException("a value has no key yet");
    }
    return present;
  }

  /** Gives a value its key. */
  public void become(Request other) {
    request = other;
  }

  /** The encoded value of one that has no key yet. */
  public byte[] valueAlone() {
    byte[] alone = value;
    if (alone == null) {
      throw new IllegalStateException("an entry has its key");
    }
    return alone;
  }

  /** When the entry of a value that has no key yet expires, in cluster time; 0 for never. */
  public long expiryMillis() {
    return expiryMillis;
  }

  public byte[] key() {
    return request().key();
  }

  /** The encoded key and value. */
  public int bytes() {
    Request present = request;
    byte[] bytes = present == null ? value : present.value();
    return (present == null ? 0 : present.key().length) + (bytes == null ? 0 : bytes.length);
  }

  /** What it counts for in the sink's memory; fixed when it comes. */
  public long heldBytes() {
    return heldBytes;
  }

  /** Takes the place of a later write of its key, whose request and number it gets. */
  public void conflate(PendingWrite later) {
    request = later.request();
    long dropped = number;
    number = later.number;
    later.number = dropped;
    long before = heldBytes;
    heldBytes = later.heldBytes;
    later.heldBytes = before;
  }

  /** Its number in the order of the source. */
  public long number() {
    return number;
  }

  public void number(long ofRecord) {
    number = ofRecord;
  }

  /** Where it belongs. */
  public void routed(long keyHash, int keySegment) {
    hash = keyHash;
    segment = keySegment;
  }

  public long hash() {
    return hash;
  }

  public int segment() {
    return segment;
  }

  @Nullable WriteBatch batch() {
    return batch;
  }

  public void batch(@Nullable WriteBatch in) {
    batch = in;
    sent = false;
  }

  /** Whether it has left with its batch. */
  public boolean sent() {
    return sent;
  }

  public void leave(long nowNanos) {
    sent = true;
    fault = null;
    if (firstSentNanos == 0) {
      firstSentNanos = nowNanos;
    }
  }

  public long firstSentNanos() {
    return firstSentNanos;
  }

  public void retryAt(long nanos) {
    retryAtNanos = nanos;
  }

  public long retryAtNanos() {
    return retryAtNanos;
  }

  // ---- How it ended

  @Override
  public void done(OperationReply reply) {
    done(reply.applied());
  }

  /** It has ended, as one of several writes of an operation. */
  public void done(boolean hasChanged) {
    applied = hasChanged;
    ended.accept(this);
  }

  @Override
  public void failed(OperationFault why) {
    fault = why;
    ended.accept(this);
  }

  @Override
  public void resent() {
    resent.incrementAndGet();
  }

  /** How often it was sent again since this was last asked. */
  public int takeResent() {
    return resent.get() == 0 ? 0 : resent.getAndSet(0);
  }

  /** Whether the cache was changed. */
  public boolean applied() {
    return applied;
  }

  /** Why it has no result; null if it has one. */
  public @Nullable Failure failure() {
    return fault == null ? null : fault.failure();
  }

  /** The exception for the report. */
  public HeadraceException cause() {
    OperationFault why = fault;
    if (why == null) {
      throw new IllegalStateException("a write that was carried out has no cause of failure");
    }
    return Failures.of(why, true);
  }
}
