package dev.headrace.jcache.processor;

import dev.headrace.api.Cache;
import dev.headrace.api.error.FunctionMissingException;
import dev.headrace.jcache.codec.ObjectCodec;
import dev.headrace.jcache.codec.ObjectFilter;
import dev.headrace.jcache.entry.EntryOutcome;
import dev.headrace.jcache.entry.EntryOutcome.Kind;
import dev.headrace.jcache.entry.EntryVerdict;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.cache.CacheException;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import org.jspecify.annotations.Nullable;

/**
 * Has processors of one cache run on the primaries of their entries. Thread-safe.
 *
 * <p>A processor can run there if it can be serialized and its class is one that the cache may
 * read. If the primary cannot run it, because it has no such class for instance, nothing has
 * happened, and the caller runs it itself. A primary that knows no processors at all is not asked
 * again for a while.
 */
public final class PrimaryProcessors<K, V> {
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Cache<K, V> entries;
  private final ObjectFilter filter;
  private final ObjectCodec codec;
  private final LongSupplier nanoTime;

  /** When primaries may be asked again; meaningless as long as none was missing. */
  private volatile long restUntilNanos;

  private volatile boolean rests;

  /**
   * For a cache.
   *
   * @param filter which classes the cache may read
   * @param nanoTime a monotonic clock
   */
  public PrimaryProcessors(Cache<K, V> entries, ObjectFilter filter, LongSupplier nanoTime) {
    this.entries = entries;
    this.filter = filter;
    this.codec = new ObjectCodec(filter);
    this.nanoTime = nanoTime;
  }

  /** Whether a primary should be asked to run a processor. */
  public boolean mayRun(EntryProcessor<K, V, ?> processor) {
    Class<?> type = processor.getClass();
    // A lambda says which body it has by a name that another build of its class may give another.
    if (!(processor instanceof Serializable) || type.isHidden() || !filter.allows(type.getName())) {
      return false;
    }
    return !rests || nanoTime.getAsLong() - restUntilNanos >= 0;
  }

  /**
   * Runs a processor on the primary.
   *
   * @return what it has done; of the previous value only that there was one is known, by {@link
   *     Invoked#found}. Null if the caller has to run it
   * @throws EntryProcessorException if the processor has thrown
   * @throws dev.headrace.api.error.HeadraceException if the cluster cannot do it
   */
  public <T> @Nullable Invoked<T> run(
      K key, EntryProcessor<K, V, T> processor, @Nullable Object... arguments) {
    byte[] call;
    try {
      call = ObjectCodec.bytes(new Object[] {processor, arguments});
    } catch (IllegalArgumentException e) { // of something in it that cannot be serialized
      return null;
    }
    byte[] bytes;
    try {
      bytes = entries.process(key, ProcessorRunner.NAME, call);
    } catch (FunctionMissingException e) {
      restUntilNanos = nanoTime.getAsLong() + REST_NANOS;
      rests = true;
      return null;
    }
    rests = false;
    return bytes == null ? null : invoked(bytes);
  }

  @SuppressWarnings("unchecked") // The processor has made it.
  private <T> @Nullable Invoked<T> invoked(byte[] bytes) {
    InvocationAnswer answer;
    try {
      answer = InvocationAnswer.of(bytes, codec);
    } catch (RuntimeException e) {
      throw new CacheException(
          "What the entry processor has returned or thrown on the primary cannot be read here, so"
              + " that it may or may not have taken effect: "
              + e.getMessage(),
          e);
    }
    return switch (answer.kind()) {
      case ELSEWHERE -> null;
      case THREW -> throw failed(answer.object());
      case RAN ->
          new Invoked<>(answer.found(), kind(answer.found(), answer.action()), (T) answer.object());
    };
  }

  private static RuntimeException failed(@Nullable Object thrown) {
    if (thrown instanceof CacheException exception) {
      return exception;
    }
    Throwable cause = thrown instanceof Throwable throwable ? throwable : null;
    return new EntryProcessorException("The entry processor has failed: " + cause, cause);
  }

  private static Kind kind(boolean found, EntryVerdict.Action action) {
    return switch (action) {
      case LEAVE, ACCESS -> Kind.LEFT;
      case PUT, STORE -> found ? Kind.UPDATED : Kind.CREATED;
      case REMOVE, DROP -> found ? Kind.REMOVED : Kind.LEFT;
    };
  }

  /**
   * What a processor has done on the primary.
   *
   * @param found whether the key was present
   * @param kind what was done
   * @param result what it returned; may be null
   */
  public record Invoked<T>(boolean found, Kind kind, @Nullable T result) {

    /** The same as an outcome, without the values. */
    public <V> EntryOutcome<V, T> outcome() {
      return new EntryOutcome<>(kind, null, null, null, result);
    }
  }
}
