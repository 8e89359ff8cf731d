package dev.headrace.benchmarks.http;

import java.util.function.IntPredicate;

/**
 * Looks for the highest rate that holds, by halving what is between one that does and one that does
 * not. A rate that does not hold is tried once more, because a shared machine may have stood still.
 *
 * @param most where the search begins: more than this cannot hold
 * @param steps how often it halves
 */
record RateSearch(int most, int steps) {

  /** Rates are multiples of this. */
  static final int GRAIN = 250;

  private static final int ATTEMPTS = 2;

  /**
   * Searches.
   *
   * @param holds tries a rate
   * @return the highest rate that held; 0 if none did
   */
  int highest(IntPredicate holds) {
    int held = 0;
    int broke = most / GRAIN + 1;
    for (int step = 0; step < steps && broke - held > 1; step++) {
      int middle = (held + broke) / 2;
      int rate = middle * GRAIN;
      boolean holding = false;
      for (int attempt = 0; attempt < ATTEMPTS && !holding; attempt++) {
        holding = holds.test(rate);
      }
      if (holding) {
        held = middle;
      } else {
        broke = middle;
      }
    }
    return held * GRAIN;
  }
}
