package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.TooManyGroupsException;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.stream.operator.OperatorCompiler.Part;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds up partial results, as a {@link GroupTable} encodes them. For one thread at a time. */
public final class ReductionResult {

  private final boolean numbers;
  private final boolean floating;
  private final int maxGroups;
  private final String cache;
  private final Map<@Nullable ByteBuffer, Integer> groups = new LinkedHashMap<>();
  private final Totals totals = new Totals();
  private long[] entries = new long[8];

  /**
   * @param number what is added up; null if entries are only counted
   * @param maxGroups the most groups
   * @param cache the cache's name, for messages
   */
  public ReductionResult(@Nullable Part number, int maxGroups, String cache) {
    numbers = number != null;
    floating = number != null && number.path().isDouble();
    this.maxGroups = maxGroups;
    this.cache = cache;
  }

  /**
   * Adds a partial result.
   *
   * @throws TooManyGroupsException if there are more groups than wanted
   * @throws IllegalArgumentException if the bytes are not a partial result's
   */
  public void add(byte[] partial) {
    ByteInput in = ByteInput.of(partial);
    int count = in.readVarInt();
    for (int i = 0; i < count; i++) {
      int sizePlusOne = in.readVarInt();
      ByteBuffer key = sizePlusOne == 0 ? null : ByteBuffer.wrap(in.readBytes(sizePlusOne - 1));
      int group = group(key);
      entries[group] += in.readVarLong();
      if (numbers) {
        totals.addWritten(group, floating, in);
      }
    }
  }

  private int group(@Nullable ByteBuffer key) {
    Integer present = groups.get(key);
    if (present != null) {
      return present;
    }
    int group = groups.size();
    if (group == maxGroups) {
      throw new TooManyGroupsException(
          "A reduction of \""
              + cache
              + "\" has more than "
              + maxGroups
              + " groups: group by something with fewer values, filter, or raise maxGroups",
          FaultScope.ofCache(cache));
    }
    groups.put(key, group);
    totals.reserve(group + 1);
    if (group == entries.length) {
      entries = Arrays.copyOf(entries, 2 * group);
    }
    return group;
  }

  /** How many entries there are, of all groups. */
  public long count() {
    return Arrays.stream(entries).sum();
  }

  /** The summary of all entries, of a reduction without groups. */
  public FieldSummary summary() {
    return groups.isEmpty()
        ? new FieldSummary(0, 0, floating ? (Number) 0.0 : (Number) 0L, null, null)
        : summary(0);
  }

  /** How many entries each group has, by the decoded keys. */
  public <G> Map<G, Long> counts(Codec<?> codec, Class<G> type) {
    Map<G, Long> counts = new LinkedHashMap<>();
    groups.forEach((key, group) -> put(counts, decode(key, codec, type), entries[group], codec));
    return counts;
  }

  /** The summary of each group, by the decoded keys. */
  public <G> Map<G, FieldSummary> summaries(Codec<?> codec, Class<G> type) {
    Map<G, FieldSummary> summaries = new LinkedHashMap<>();
    groups.forEach((key, group) -> put(summaries, decode(key, codec, type), summary(group), codec));
    return summaries;
  }

  /** Groups differ by their bytes, so equal keys would hide each other. */
  private static <G, R> void put(Map<G, R> results, G key, R result, Codec<?> codec) {
    if (results.put(key, result) != null) {
      throw new IllegalStateException(
          "The codec of format \""
              + codec.format()
              + "\" makes different bytes of equal values, so that these cannot be groups: group"
              + " by a component of a record, or write a codec that does not");
    }
  }

  @SuppressWarnings("NullAway") // the map of the result has a null key for the group of null
  private static <G> G decode(@Nullable ByteBuffer key, Codec<?> codec, Class<G> type) {
    if (key == null) {
      return null;
    }
    ByteInput in = new ByteInput();
    in.reset(key, 0, key.limit());
    return type.cast(codec.decode(in));
  }

  private FieldSummary summary(int group) {
    long count = totals.count(group);
    if (floating) {
      double sum = Totals.asDouble(totals.low(group)) + Totals.asDouble(totals.high(group));
      return new FieldSummary(
          entries[group],
          count,
          sum,
          count == 0 ? null : Totals.asDouble(totals.least(group)),
          count == 0 ? null : Totals.asDouble(totals.greatest(group)));
    }
    return new FieldSummary(
        entries[group],
        count,
        wholeSum(group),
        count == 0 ? null : totals.least(group),
        count == 0 ? null : totals.greatest(group));
  }

  private Number wholeSum(int group) {
    long low = totals.low(group);
    long high = totals.high(group);
    if (high == low >> 63) {
      return low;
    }
    byte[] bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
    return new BigInteger(bytes);
  }
}
