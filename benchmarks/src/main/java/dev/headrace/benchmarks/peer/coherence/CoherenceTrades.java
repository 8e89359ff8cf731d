package dev.headrace.benchmarks.peer.coherence;

import com.tangosol.net.NamedCache;
import com.tangosol.util.ValueExtractor;
import com.tangosol.util.aggregator.GroupAggregator;
import com.tangosol.util.aggregator.LongSum;
import com.tangosol.util.aggregator.ReducerAggregator;
import com.tangosol.util.extractor.MultiExtractor;
import com.tangosol.util.extractor.PofExtractor;
import com.tangosol.util.filter.LessFilter;
import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import java.util.Map;

/**
 * Coherence's filters and aggregators. Its extractors read single parts of encoded trades, as its
 * manual recommends, so that whole trades are not decoded.
 */
record CoherenceTrades(NamedCache<String, Trade> cache) implements TradeView {

  private static final ValueExtractor<Trade, String> SYMBOL =
      new PofExtractor<>(String.class, TradeSerializer.SYMBOL);
  private static final ValueExtractor<Trade, Double> PRICE =
      new PofExtractor<>(Double.class, TradeSerializer.PRICE);
  private static final ValueExtractor<Trade, Integer> QUANTITY =
      new PofExtractor<>(Integer.class, TradeSerializer.QUANTITY);

  @Override
  public void load(int entries) {
    cache.clear();
    Trade.write(entries, cache::putAll);
  }

  @Override
  public long filter() {
    return cache.entrySet(new LessFilter<>(PRICE, Trade.LOW_PRICE)).size();
  }

  @Override
  public long project() {
    ValueExtractor<?, ?>[] parts = {SYMBOL, PRICE};
    return cache.aggregate(new ReducerAggregator<String, Trade, Trade, Object>(both(parts))).size();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // its constructor has raw types
  private static ValueExtractor<Trade, Object> both(ValueExtractor<?, ?>[] parts) {
    return (ValueExtractor<Trade, Object>) (ValueExtractor) new MultiExtractor(parts);
  }

  @Override
  public long count() {
    return cache.size();
  }

  @Override
  public long sumGroups() {
    Map<String, Long> sums =
        cache.aggregate(GroupAggregator.createInstance(SYMBOL, new LongSum<>(QUANTITY)));
    return sums.values().stream().mapToLong(each -> each).sum();
  }
}
