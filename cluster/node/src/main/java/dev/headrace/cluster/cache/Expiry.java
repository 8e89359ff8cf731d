package dev.headrace.cluster.cache;

import dev.headrace.api.Cache;
import java.time.Duration;
import java.util.function.LongSupplier;

/** When entries expire. */
public final class Expiry {
  private Expiry() {}

  /**
   * The time at which an entry written now expires.
   *
   * @param clusterMillis cluster time
   * @return in cluster time; 0 for never
   * @throws IllegalArgumentException if the lifespan is not positive
   */
  public static long millis(Duration lifespan, LongSupplier clusterMillis) {
    if (lifespan.equals(Cache.FOREVER)) {
      return 0;
    }
    checkLifespan(lifespan);
    long now = clusterMillis.getAsLong();
    long millis = Math.max(1, saturatedMillis(lifespan));
    return millis > Long.MAX_VALUE - now ? 0 : now + millis;
  }

  static void checkLifespan(Duration lifespan) {
    if (lifespan.isNegative() || lifespan.isZero()) {
      throw new IllegalArgumentException(
          "A lifespan must be positive, but is " + lifespan + ": use remove to delete an entry");
    }
  }

  private static long saturatedMillis(Duration duration) {
    try {
      return duration.toMillis();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }
}
