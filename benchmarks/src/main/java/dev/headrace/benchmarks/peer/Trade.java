package dev.headrace.benchmarks.peer;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;

/**
 * The value on which operators are measured.
 *
 * @param symbol one of {@value #SYMBOLS}
 * @param price 0 to 99
 * @param quantity 0 to 999
 * @param note 60 characters that nobody asks for
 */
public record Trade(String symbol, double price, int quantity, String note)
    implements Serializable {

  /** How many symbols there are. */
  public static final int SYMBOLS = 100;

  /** Below this price is one in a hundred. */
  public static final double LOW_PRICE = 1;

  private static final int BATCH = 10_000;
  private static final String NOTE = "n".repeat(60);

  /** The trade of a number. */
  public static Trade of(int number) {
    int mixed = (number * 0x9E3779B1) >>> 8;
    return new Trade("SYM" + number % SYMBOLS, mixed % 100, mixed % 1000, NOTE);
  }

  /** Takes trades in batches. */
  public interface Writer {
    void putAll(Map<String, Trade> trades);
  }

  /** Writes so many trades. */
  public static void write(int entries, Writer writer) {
    Map<String, Trade> batch = new HashMap<>();
    for (int i = 0; i < entries; i++) {
      batch.put("trade-" + i, of(i));
      if (batch.size() == BATCH || i == entries - 1) {
        writer.putAll(batch);
        batch = new HashMap<>();
      }
    }
  }
}
