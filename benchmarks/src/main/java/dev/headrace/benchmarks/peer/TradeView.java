package dev.headrace.benchmarks.peer;

/** A cache of trades as one member sees it, with what a system can do where the data is. */
public interface TradeView {

  /** Replaces the content by so many trades. */
  void load(int entries);

  /** Reads the trades below {@link Trade#LOW_PRICE}, and returns how many there are. */
  long filter();

  /** Reads symbol and price of all trades, and returns how many there are. */
  long project();

  /** Counts the trades. */
  long count();

  /** Adds up the quantities of each symbol, and returns the sum of these. */
  long sumGroups();
}
