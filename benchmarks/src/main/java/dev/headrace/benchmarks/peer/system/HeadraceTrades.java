package dev.headrace.benchmarks.peer.system;

import static dev.headrace.api.stream.operator.Expressions.field;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import java.util.Iterator;

/** Headrace's filters, selections and reductions. */
record HeadraceTrades(Cache<String, Trade> cache) implements TradeView {

  /** What is selected of a trade. */
  public record Price(String symbol, double price) {}

  @Override
  public void load(int entries) {
    cache.clear();
    Trade.write(entries, cache::putAll);
  }

  @Override
  public long filter() {
    try (CloseableIterator<?> low =
        cache.stream().filter(field("price").lt(Trade.LOW_PRICE)).entries().iterator()) {
      return drained(low);
    }
  }

  @Override
  public long project() {
    try (CloseableIterator<Price> prices = cache.stream().select(Price.class).iterator()) {
      return drained(prices);
    }
  }

  static long drained(Iterator<?> all) {
    long count = 0;
    while (all.hasNext()) {
      all.next();
      count++;
    }
    return count;
  }

  @Override
  public long count() {
    return cache.stream().count().get();
  }

  @Override
  public long sumGroups() {
    return cache.stream().groupBy("symbol", String.class).sum("quantity").get().values().stream()
        .mapToLong(Number::longValue)
        .sum();
  }
}
