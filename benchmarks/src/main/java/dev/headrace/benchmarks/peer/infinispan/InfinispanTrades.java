package dev.headrace.benchmarks.peer.infinispan;

import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.CacheStream;
import org.infinispan.stream.CacheCollectors;
import org.infinispan.util.function.SerializableFunction;
import org.infinispan.util.function.SerializablePredicate;
import org.infinispan.util.function.SerializableSupplier;

/** Infinispan's distributed streams, over objects in memory. */
record InfinispanTrades(AdvancedCache<String, Trade> cache) implements TradeView {

  @Override
  public void load(int entries) {
    cache.clear();
    Trade.write(entries, cache::putAll);
  }

  @Override
  public long filter() {
    SerializablePredicate<Map.Entry<String, Trade>> low =
        entry -> entry.getValue().price() < Trade.LOW_PRICE;
    return drained(cache.entrySet().stream().filter(low));
  }

  @Override
  public long project() {
    SerializableFunction<Map.Entry<String, Trade>, Price> price =
        entry -> new Price(entry.getValue().symbol(), entry.getValue().price());
    return drained(cache.entrySet().stream().map(price));
  }

  /** What is selected of a trade. */
  record Price(String symbol, double price) {}

  private static long drained(CacheStream<?> stream) {
    long count = 0;
    try (stream) {
      for (Iterator<?> all = stream.iterator(); all.hasNext(); count++) {
        all.next();
      }
    }
    return count;
  }

  @Override
  public long count() {
    return cache.size();
  }

  @Override
  public long sumGroups() {
    SerializableSupplier<Collector<Map.Entry<String, Trade>, ?, Map<String, Long>>> sums =
        () ->
            Collectors.groupingBy(
                entry -> entry.getValue().symbol(),
                Collectors.summingLong(entry -> entry.getValue().quantity()));
    try (CacheStream<Map.Entry<String, Trade>> all = cache.entrySet().stream()) {
      return all.collect(CacheCollectors.serializableCollector(sums)).values().stream()
          .mapToLong(each -> each)
          .sum();
    }
  }
}
