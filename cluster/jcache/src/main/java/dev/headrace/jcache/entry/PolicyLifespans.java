package dev.headrace.jcache.entry;

import dev.headrace.api.Cache;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.EternalExpiryPolicy;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.ModifiedExpiryPolicy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an expiry policy means in lifespans: null keeps what is left of the present one, zero ends
 * the entry at once. If the policy throws, which is logged, an entry is created for good, and one
 * that is there keeps what it has.
 */
public final class PolicyLifespans {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyLifespans.class);

  /** What is longer is for good. */
  private static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(365L * 1000);

  private final ExpiryPolicy policy;

  /** The lifespans of a policy. */
  public PolicyLifespans(ExpiryPolicy policy) {
    this.policy = policy;
  }

  /** Whether every entry is there for good, whatever is done. */
  public boolean eternal() {
    return policy instanceof EternalExpiryPolicy;
  }

  /** Whether an access may change when an entry expires. */
  boolean accessMatters() {
    return !eternal()
        && !(policy instanceof CreatedExpiryPolicy)
        && !(policy instanceof ModifiedExpiryPolicy);
  }

  Duration creation() {
    Duration lifespan = ask(policy::getExpiryForCreation);
    return lifespan == null ? Cache.FOREVER : lifespan;
  }

  @Nullable Duration access() {
    return ask(policy::getExpiryForAccess);
  }

  @Nullable Duration update() {
    return ask(policy::getExpiryForUpdate);
  }

  private static @Nullable Duration ask(Supplier<javax.cache.expiry.@Nullable Duration> question) {
    javax.cache.expiry.Duration answer;
    try {
      answer = question.get();
    } catch (RuntimeException e) {
      LOG.warn("An expiry policy has failed; the lifespan is as if it had none", e);
      return null;
    }
    if (answer == null) {
      return null;
    }
    if (answer.isEternal()) {
      return Cache.FOREVER;
    }
    long millis = answer.getTimeUnit().toMillis(answer.getDurationAmount());
    return millis > MAX_MILLIS ? Cache.FOREVER : Duration.ofMillis(millis);
  }

  /** Closes the policy, if it can be closed. */
  public void close() {
    if (policy instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException | RuntimeException e) {
        LOG.warn("An expiry policy could not be closed", e);
      }
    }
  }
}
