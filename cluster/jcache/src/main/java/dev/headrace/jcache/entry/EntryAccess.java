package dev.headrace.jcache.entry;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.jcache.codec.ObjectCodec;
import dev.headrace.jcache.entry.EntryOutcome.Kind;
import dev.headrace.jcache.event.CacheListeners;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * Changes one entry at a time, atomically: reads it, lets the operation decide, and writes if the
 * entry is still the same. Thread-safe.
 *
 * <p>The first attempt costs a read and a conditional write. If another node has changed the entry
 * in between, the operation decides again as a computation of the node ({@link Cache#compute}),
 * which the primary gives its turn: no node is kept from a key by others that are quicker. A
 * computation's lifespan is given before it runs, and the operation's may depend on what it finds;
 * where they differ, nothing is written and the computation begins again with the right one.
 *
 * <p>The operation runs on this node, where its classes are; for the entry's owners values are
 * bytes.
 */
public final class EntryAccess<K, V> {

  /** How often the lifespan may turn out to be another. */
  private static final int MAX_ROUNDS = 100;

  private final Cache<K, V> entries;
  private final PolicyLifespans lifespans;
  private final WriteThrough<K, V> writer;
  private final CacheListeners<K, V> listeners;
  private final KeyLocks locks;

  /** A way to the entries of a cache. */
  public EntryAccess(
      Cache<K, V> entries,
      PolicyLifespans lifespans,
      WriteThrough<K, V> writer,
      CacheListeners<K, V> listeners,
      KeyLocks locks) {
    this.entries = entries;
    this.lifespans = lifespans;
    this.writer = writer;
    this.listeners = listeners;
    this.locks = locks;
  }

  /** Whether an unconditional write needs to know nothing of the entry. */
  public boolean isPlain() {
    return lifespans.eternal() && !writer.exists() && listeners.isEmpty();
  }

  /**
   * Reads an entry, which may change when it expires.
   *
   * @return the value, or null if the key is absent
   */
  public @Nullable V read(K key) {
    if (!lifespans.accessMatters()) {
      return entries.get(key);
    }
    CacheEntry<K, V> entry = entries.getEntry(key);
    if (entry == null) {
      return null;
    }
    extend(entry);
    return entry.value();
  }

  /** An entry has been read: that may change when it expires. */
  public void touch(K key) {
    if (lifespans.accessMatters()) {
      CacheEntry<K, V> entry = entries.getEntry(key);
      if (entry != null) {
        extend(entry);
      }
    }
  }

  /** If the entry has been changed since, it has another lifespan already. */
  private void extend(CacheEntry<K, V> entry) {
    Duration lifespan = lifespans.access();
    if (lifespan == null || (entry.expiry() == null && lifespan.equals(Cache.FOREVER))) {
      return;
    }
    if (!lifespan.isZero()) {
      entries.replaceIfVersion(entry.key(), entry.version(), entry.value(), lifespan);
    } else if (entries.removeIfVersion(entry.key(), entry.version())) {
      listeners.expired(entry.key(), entry.value());
    }
  }

  /**
   * Changes an entry, and tells the listeners.
   *
   * @throws CacheException if the entry cannot be read or written, or what the operation throws
   */
  public <R> EntryOutcome<V, R> change(K key, EntryOperation<V, R> operation) {
    try (KeyLocks.Held held = locks.hold(key)) {
      EntryOutcome<V, R> outcome = attempt(key, operation);
      if (outcome.kind() == Kind.ACCESSED) {
        touch(key);
      } else {
        tell(key, outcome);
      }
      return outcome;
    } catch (HeadraceException e) {
      throw new CacheException(e.getMessage(), e);
    }
  }

  private <R> EntryOutcome<V, R> attempt(K key, EntryOperation<V, R> operation) {
    CacheEntry<K, V> entry = entries.getEntry(key);
    EntryOutcome<V, R> outcome = decide(key, entry == null ? null : entry.value(), operation);
    if (!outcome.writes() || write(key, entry, outcome)) {
      return outcome;
    }
    return inTurn(key, operation, outcome);
  }

  private <R> EntryOutcome<V, R> decide(
      K key, @Nullable V present, EntryOperation<V, R> operation) {
    EntryVerdict<V, R> verdict = operation.decide(present);
    return switch (verdict.action()) {
      case LEAVE -> untouched(Kind.LEFT, present, verdict);
      case ACCESS -> untouched(present == null ? Kind.LEFT : Kind.ACCESSED, present, verdict);
      case PUT -> {
        writer.write(key, given(verdict));
        yield set(present, verdict);
      }
      case STORE -> set(present, verdict);
      case REMOVE -> {
        writer.delete(key);
        yield removed(present, verdict);
      }
      case DROP -> removed(present, verdict);
    };
  }

  private static <V, R> V given(EntryVerdict<V, R> verdict) {
    return Objects.requireNonNull(verdict.value(), "value");
  }

  private static <V, R> EntryOutcome<V, R> untouched(
      Kind kind, @Nullable V present, EntryVerdict<V, R> verdict) {
    return new EntryOutcome<>(kind, present, null, null, verdict.result());
  }

  private <R> EntryOutcome<V, R> set(@Nullable V present, EntryVerdict<V, R> verdict) {
    Duration lifespan = present == null ? lifespans.creation() : lifespans.update();
    boolean atOnce = lifespan != null && lifespan.isZero();
    Kind kind;
    if (present == null) {
      kind = atOnce ? Kind.NOT_CREATED : Kind.CREATED;
    } else {
      kind = atOnce ? Kind.UPDATED_AND_EXPIRED : Kind.UPDATED;
    }
    return new EntryOutcome<>(kind, present, given(verdict), lifespan, verdict.result());
  }

  private static <V, R> EntryOutcome<V, R> removed(
      @Nullable V present, EntryVerdict<V, R> verdict) {
    return untouched(present == null ? Kind.LEFT : Kind.REMOVED, present, verdict);
  }

  /** Writes if the entry is the one that was read; tells whether it was. */
  private boolean write(K key, @Nullable CacheEntry<K, V> entry, EntryOutcome<V, ?> outcome) {
    V after = outcome.after();
    Duration lifespan = outcome.lifespan();
    if (entry == null) {
      return after == null
          || entries.putIfAbsent(key, after, lifespan == null ? Cache.FOREVER : lifespan);
    }
    if (after == null) {
      return entries.removeIfVersion(key, entry.version());
    }
    if (lifespan == null && entry.expiry() != null) {
      return replaceKeepingLifespan(key, entry.value(), after);
    }
    return entries.replaceIfVersion(
        key, entry.version(), after, lifespan == null ? Cache.FOREVER : lifespan);
  }

  /** Only a computation keeps what is left of a lifespan; it is given values, not versions. */
  private boolean replaceKeepingLifespan(K key, V read, V after) {
    try {
      V written =
          entries.computeIfPresent(
              key,
              (same, present) -> {
                if (!ObjectCodec.sameBytes(present, read)) {
                  throw new NothingWritten();
                }
                return after;
              });
      return written != null;
    } catch (NothingWritten e) {
      return false;
    }
  }

  private <R> EntryOutcome<V, R> inTurn(
      K key, EntryOperation<V, R> operation, EntryOutcome<V, R> first) {
    Duration lifespan = first.lifespan();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Computation<R> computation = new Computation<>(key, operation, lifespan);
      try {
        if (lifespan == null || lifespan.isZero()) {
          entries.compute(key, computation);
        } else {
          entries.compute(key, computation, lifespan);
        }
        return computation.outcome();
      } catch (NothingWritten e) {
        EntryOutcome<V, R> outcome = computation.outcome();
        if (!outcome.writes()) {
          return outcome;
        }
        lifespan = outcome.lifespan();
      }
    }
    throw new CacheException(
        "Other operations have changed the key "
            + MAX_ROUNDS
            + " times in a row while this one was decided: try again");
  }

  private void tell(K key, EntryOutcome<V, ?> outcome) {
    V previous = outcome.previous();
    V value = outcome.value();
    switch (outcome.kind()) {
      case CREATED -> listeners.created(key, Objects.requireNonNull(value));
      case UPDATED ->
          listeners.updated(key, Objects.requireNonNull(previous), Objects.requireNonNull(value));
      case UPDATED_AND_EXPIRED -> {
        V set = Objects.requireNonNull(value);
        listeners.updated(key, Objects.requireNonNull(previous), set);
        listeners.expired(key, set);
      }
      case REMOVED -> listeners.removed(key, Objects.requireNonNull(previous));
      case LEFT, ACCESSED, NOT_CREATED -> {}
    }
  }

  /** An operation that decides as a computation with a lifespan. */
  private final class Computation<R> implements BiFunction<K, @Nullable V, @Nullable V> {
    private final K key;
    private final EntryOperation<V, R> operation;
    private final @Nullable Duration lifespan;
    private @Nullable EntryOutcome<V, R> outcome;

    Computation(K key, EntryOperation<V, R> operation, @Nullable Duration lifespan) {
      this.key = key;
      this.operation = operation;
      this.lifespan = lifespan;
    }

    @Override
    public @Nullable V apply(K same, @Nullable V present) {
      EntryOutcome<V, R> decided = decide(key, present, operation);
      outcome = decided;
      V after = decided.after();
      if (!decided.writes() || (after != null && !fits(decided))) {
        throw new NothingWritten();
      }
      return after;
    }

    /** Whether what is written gets its lifespan; a new entry has none left. */
    private boolean fits(EntryOutcome<V, R> decided) {
      return Objects.equals(decided.lifespan(), lifespan);
    }

    EntryOutcome<V, R> outcome() {
      return Objects.requireNonNull(outcome, "The computation has not run");
    }
  }

  /** Ends a computation without an effect. */
  private static final class NothingWritten extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NothingWritten() {
      super("Nothing was written", null, false, false);
    }
  }
}
