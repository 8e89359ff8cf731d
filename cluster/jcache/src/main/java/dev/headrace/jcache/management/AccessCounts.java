package dev.headrace.jcache.management;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.cache.management.CacheStatisticsMXBean;

/**
 * What was done through one cache of one manager; other managers of the cluster count for
 * themselves. Counts nothing unless it is switched on. Thread-safe; figures that are read while
 * others change are not a snapshot.
 */
public final class AccessCounts implements CacheStatisticsMXBean {
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder puts = new LongAdder();
  private final LongAdder removals = new LongAdder();
  private final LongAdder getNanos = new LongAdder();
  private final LongAdder putNanos = new LongAdder();
  private final LongAdder removeNanos = new LongAdder();
  private volatile boolean enabled;

  /** Counts from zero, switched off. */
  public AccessCounts() {}

  /** Switches counting on or off; what was counted stays. */
  public void enable(boolean on) {
    enabled = on;
  }

  /** Whether it counts. */
  public boolean isEnabled() {
    return enabled;
  }

  /** The present time for the methods below. */
  public static long now() {
    return System.nanoTime();
  }

  /** So many keys were found, or not, since a time. */
  public void read(long found, long missed, long sinceNanos) {
    if (enabled) {
      hits.add(found);
      misses.add(missed);
      getNanos.add(now() - sinceNanos);
    }
  }

  /** So many values were set since a time. */
  public void put(long count, long sinceNanos) {
    if (enabled && count > 0) {
      puts.add(count);
      putNanos.add(now() - sinceNanos);
    }
  }

  /** So many keys were removed since a time. */
  public void removed(long count, long sinceNanos) {
    if (enabled && count > 0) {
      removals.add(count);
      removeNanos.add(now() - sinceNanos);
    }
  }

  @Override
  public void clear() {
    hits.reset();
    misses.reset();
    puts.reset();
    removals.reset();
    getNanos.reset();
    putNanos.reset();
    removeNanos.reset();
  }

  @Override
  public long getCacheHits() {
    return hits.sum();
  }

  @Override
  public float getCacheHitPercentage() {
    return percentage(getCacheHits());
  }

  @Override
  public long getCacheMisses() {
    return misses.sum();
  }

  @Override
  public float getCacheMissPercentage() {
    return percentage(getCacheMisses());
  }

  @Override
  public long getCacheGets() {
    return getCacheHits() + getCacheMisses();
  }

  @Override
  public long getCachePuts() {
    return puts.sum();
  }

  @Override
  public long getCacheRemovals() {
    return removals.sum();
  }

  /** Always 0: nothing is evicted; a write for which there is no room is refused. */
  @Override
  public long getCacheEvictions() {
    return 0;
  }

  @Override
  public float getAverageGetTime() {
    return averageMicros(getNanos, getCacheGets());
  }

  @Override
  public float getAveragePutTime() {
    return averageMicros(putNanos, getCachePuts());
  }

  @Override
  public float getAverageRemoveTime() {
    return averageMicros(removeNanos, getCacheRemovals());
  }

  private float percentage(long part) {
    long gets = getCacheGets();
    return gets == 0 ? 0 : 100f * part / gets;
  }

  private static float averageMicros(LongAdder nanos, long count) {
    return count == 0 ? 0 : (float) nanos.sum() / TimeUnit.MICROSECONDS.toNanos(1) / count;
  }
}
