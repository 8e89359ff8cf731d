package dev.headrace.http.load;

import dev.headrace.http.exchange.ProblemException;
import java.util.concurrent.atomic.AtomicLong;

/** The bytes of large records that all loads are reading. Thread-safe. */
final class RecordBudget {
  private final long mostBytes;
  private final AtomicLong used = new AtomicLong();

  /** A budget of so many bytes, of which none are used. */
  RecordBudget(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * Takes some, or gives some back.
   *
   * @param bytes less than 0 to give back
   * @throws ProblemException 503 if there are not so many
   */
  void take(long bytes) {
    if (used.addAndGet(bytes) > mostBytes && bytes > 0) {
      used.addAndGet(-bytes);
      throw new ProblemException(
              503, "The node is reading too many large records at a time; load them again later")
          .with("retry-after", "1");
    }
  }

  /** How many are used. */
  long usedBytes() {
    return used.get();
  }
}
