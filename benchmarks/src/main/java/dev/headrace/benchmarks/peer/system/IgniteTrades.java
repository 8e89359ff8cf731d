package dev.headrace.benchmarks.peer.system;

import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.cache.Cache;
import org.apache.ignite.Ignite;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.binary.BinaryObject;
import org.apache.ignite.cache.CachePeekMode;
import org.apache.ignite.cache.query.QueryCursor;
import org.apache.ignite.cache.query.ScanQuery;
import org.apache.ignite.lang.IgniteBiPredicate;
import org.apache.ignite.lang.IgniteCallable;
import org.apache.ignite.lang.IgniteClosure;
import org.apache.ignite.resources.IgniteInstanceResource;
import org.jspecify.annotations.Nullable;

/**
 * Ignite's scan queries with filters and transformers that run where the data is, and a computation
 * on each node for sums; over binary objects, as its manual recommends for both, so that only the
 * fields that are asked for are decoded. Its SQL needs another module and an index on every field.
 *
 * @param node the node that asks
 */
record IgniteTrades(Ignite node, IgniteCache<String, BinaryObject> cache) implements TradeView {

  static final String CACHE = "trades";

  /** A cache of trades as one node sees it. */
  static IgniteTrades on(Ignite node) {
    return new IgniteTrades(node, node.<String, BinaryObject>cache(CACHE).withKeepBinary());
  }

  @Override
  public void load(int entries) {
    cache.clear();
    Trade.write(
        entries,
        trades -> {
          Map<String, BinaryObject> batch = new TreeMap<>();
          trades.forEach((key, trade) -> batch.put(key, binary(trade)));
          cache.putAll(batch);
        });
  }

  private BinaryObject binary(Trade trade) {
    return node.binary()
        .builder("Trade")
        .setField("symbol", trade.symbol())
        .setField("price", trade.price())
        .setField("quantity", trade.quantity())
        .setField("note", trade.note())
        .build();
  }

  @Override
  public long filter() {
    IgniteBiPredicate<String, BinaryObject> low =
        (key, trade) -> trade.<Double>field("price") < Trade.LOW_PRICE;
    try (QueryCursor<Cache.Entry<String, BinaryObject>> all = cache.query(new ScanQuery<>(low))) {
      return HeadraceTrades.drained(all.iterator());
    }
  }

  @Override
  public long project() {
    IgniteClosure<Cache.Entry<String, BinaryObject>, List<Object>> price =
        entry -> List.of(entry.getValue().field("symbol"), entry.getValue().field("price"));
    try (QueryCursor<List<Object>> all = cache.query(new ScanQuery<>(), price)) {
      return HeadraceTrades.drained(all.iterator());
    }
  }

  @Override
  public long count() {
    return cache.sizeLong(CachePeekMode.PRIMARY);
  }

  @Override
  public long sumGroups() {
    Collection<Map<String, Long>> parts =
        node.compute(node.cluster().forServers()).broadcast(new SumsBySymbol());
    Map<String, Long> sums = new HashMap<>();
    for (Map<String, Long> part : new ArrayList<>(parts)) {
      part.forEach((symbol, sum) -> sums.merge(symbol, sum, Long::sum));
    }
    return sums.values().stream().mapToLong(each -> each).sum();
  }

  /** Adds up what one node has as primary. */
  static final class SumsBySymbol implements IgniteCallable<Map<String, Long>> {
    private static final long serialVersionUID = 1L;

    @IgniteInstanceResource private transient @Nullable Ignite local;

    @Override
    public Map<String, Long> call() {
      Ignite here = local;
      if (here == null) {
        throw new IllegalStateException("Ignite has not said on which node this runs");
      }
      HashMap<String, Long> sums = new HashMap<>();
      ScanQuery<String, BinaryObject> ours = new ScanQuery<String, BinaryObject>().setLocal(true);
      try (QueryCursor<Cache.Entry<String, BinaryObject>> all =
          here.<String, BinaryObject>cache(CACHE).withKeepBinary().query(ours)) {
        for (Cache.Entry<String, BinaryObject> entry : all) {
          BinaryObject trade = entry.getValue();
          long quantity = trade.<Integer>field("quantity");
          sums.merge(trade.field("symbol"), quantity, Long::sum);
        }
      }
      return sums;
    }
  }
}
