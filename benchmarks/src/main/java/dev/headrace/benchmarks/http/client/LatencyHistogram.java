package dev.headrace.benchmarks.http.client;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Latencies from a microsecond to an hour, to three digits, in an {@code HdrHistogram}. Not thread
 * safe.
 */
public final class LatencyHistogram {
  private static final long LOWEST_NANOS = 1_000;
  private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;

  private final Histogram histogram;

  /** An empty one. */
  public LatencyHistogram() {
    this(new Histogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS));
  }

  private LatencyHistogram(Histogram histogram) {
    this.histogram = histogram;
  }

  /** Adds a latency. */
  void record(long nanos) {
    histogram.recordValue(Math.max(0, Math.min(HIGHEST_NANOS, nanos)));
  }

  /** Adds all of another one. */
  public void add(LatencyHistogram other) {
    histogram.add(other.histogram);
  }

  /** How many there are. */
  public long count() {
    return histogram.getTotalCount();
  }

  /** The mean in milliseconds; 0 of none. */
  public double meanMillis() {
    return histogram.getMean() / 1e6;
  }

  /**
   * The latency that so much of all does not exceed, in milliseconds.
   *
   * @param percent such as 99.9
   */
  public double millis(double percent) {
    return histogram.getValueAtPercentile(percent) / 1e6;
  }

  /** The longest in milliseconds. */
  public double maxMillis() {
    return histogram.getMaxValue() / 1e6;
  }

  /** All of it as text. */
  String encoded() {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  /**
   * Reads what {@link #encoded} has made.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static LatencyHistogram decoded(String text) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(Base64.getDecoder().decode(text));
      return new LatencyHistogram(Histogram.decodeFromCompressedByteBuffer(buffer, 0));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("This is no histogram of latencies", e);
    }
  }
}
