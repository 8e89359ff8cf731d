package dev.headrace.cluster.process.work;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.Change;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Follows the changes of a cache of {@link NumberedWrites}, and checks that every write is told
 * once, those of a key in their order. Thread-safe.
 */
final class FollowedChanges implements AutoCloseable {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Cache<String, String> cache;
  private final Consumer<String> violations;
  private final Map<String, Long> numbers = new HashMap<>(); // guarded by this
  private long told; // guarded by this
  private final Disposable following;

  /** Begins with the content. */
  FollowedChanges(Cache<String, String> cache, Consumer<String> violations) {
    this.cache = cache;
    this.violations = violations;
    this.following =
        cache
            .changes()
            .withContent()
            .changes()
            .toFlowable()
            .subscribe(
                this::take, failure -> violations.accept("The changes have ended: " + failure));
  }

  private synchronized void take(Change<String, String> change) {
    if (change instanceof Change.OfKey<String, String> one && one.value() != null) {
      Long last = numbers.put(one.key(), NumberedWrites.number(one.value()));
      boolean content = one.kind() == Change.Kind.PRESENT;
      if (content ? last != null : !follows(last == null ? 0 : last, one.value())) {
        violations.accept("After the number " + last + " of its key a change tells " + one);
      }
      told++;
      notifyAll();
    } else {
      violations.accept("Changes tell " + change + ", but nobody has removed anything");
    }
  }

  private static boolean follows(long last, String value) {
    return last >= NumberedWrites.before(value) && last < NumberedWrites.number(value);
  }

  /** Waits, when nobody writes any more, until the last write of each key was told. */
  long awaitAll() throws InterruptedException {
    Map<String, Long> written = new HashMap<>();
    cache.stream()
        .entries()
        .toFlowable()
        .blockingForEach(
            entry -> written.put(entry.getKey(), NumberedWrites.number(entry.getValue())));
    long beganNanos = System.nanoTime();
    synchronized (this) {
      long leftNanos = LIMIT_NANOS;
      while (!numbers.equals(written) && leftNanos > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
        leftNanos = beganNanos + LIMIT_NANOS - System.nanoTime();
      }
      if (!numbers.equals(written)) {
        violations.accept("The last writes were " + written + ", but changes tell " + numbers);
      }
      return told;
    }
  }

  @Override
  public void close() {
    following.dispose();
  }
}
