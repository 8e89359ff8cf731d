package dev.headrace.benchmarks.peer.system;

import com.hazelcast.aggregation.Aggregator;
import com.hazelcast.map.IMap;
import com.hazelcast.projection.Projections;
import com.hazelcast.query.Predicates;
import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import java.util.HashMap;
import java.util.Map;

/** Hazelcast's predicates, projections and aggregations, over objects in memory. */
record HazelcastTrades(IMap<String, Trade> map) implements TradeView {

  @Override
  public void load(int entries) {
    map.clear();
    Trade.write(entries, map::putAll);
  }

  @Override
  public long filter() {
    return HeadraceTrades.drained(
        map.entrySet(Predicates.lessThan("price", Trade.LOW_PRICE)).iterator());
  }

  @Override
  public long project() {
    return map.project(Projections.<Map.Entry<String, Trade>>multiAttribute("symbol", "price"))
        .size();
  }

  @Override
  public long count() {
    return map.size();
  }

  @Override
  public long sumGroups() {
    return map.aggregate(new SumsBySymbol()).values().stream().mapToLong(each -> each).sum();
  }

  /** Adds up quantities by symbol; Hazelcast has no grouping of its own beside SQL. */
  static final class SumsBySymbol
      implements Aggregator<Map.Entry<String, Trade>, Map<String, Long>> {
    private static final long serialVersionUID = 1L;

    private final HashMap<String, Long> sums = new HashMap<>();

    @Override
    public void accumulate(Map.Entry<String, Trade> input) {
      sums.merge(input.getValue().symbol(), (long) input.getValue().quantity(), Long::sum);
    }

    @Override
    @SuppressWarnings("rawtypes") // as the interface has it
    public void combine(Aggregator other) {
      ((SumsBySymbol) other).sums.forEach((symbol, sum) -> sums.merge(symbol, sum, Long::sum));
    }

    @Override
    public Map<String, Long> aggregate() {
      return sums;
    }
  }
}
