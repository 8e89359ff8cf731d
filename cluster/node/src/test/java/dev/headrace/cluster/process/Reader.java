package dev.headrace.cluster.process;

import dev.headrace.api.Cache;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.process.Findings.Count;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Reads on one node, and judges by the board what it gets. A node that owns a key answers from its
 * own replica, so this is what shows a node that was paused and acts on what it held before. Used
 * by one thread at a time.
 */
final class Reader {
  private static final int CHUNK_KEYS = 1000;

  private final Cache<String, String> content;
  private final Cache<String, Long> counters;
  private final Board board;
  private final Findings findings;
  private int next;

  /**
   * @param first the key to begin with
   */
  Reader(
      Cache<String, String> content,
      Cache<String, Long> counters,
      Board board,
      Findings findings,
      int first) {
    this.content = content;
    this.counters = counters;
    this.board = board;
    this.findings = findings;
    this.next = first;
  }

  /** Reads one written key: no older version than was acknowledged before the read. */
  void turn() {
    int key = next++ % Content.WRITTEN;
    long from = board.acknowledged(key);
    try {
      String value = content.get(Content.writtenKey(key));
      findings.count(Count.READ);
      findings.object(Content.objection(key, from, board.begun(key), value));
    } catch (UnavailableException e) {
      findings.count(Count.UNREAD);
    }
  }

  /**
   * Reads everything; for a cluster in which nobody writes.
   *
   * @return how many keys it has read
   */
  int readAll() {
    for (int first = 0; first < Content.LOADED; first += CHUNK_KEYS) {
      int end = Math.min(first + CHUNK_KEYS, Content.LOADED);
      List<String> keys = IntStream.range(first, end).mapToObj(Content::loadedKey).toList();
      Map<String, String> found = content.getAll(keys);
      for (int number = first; number < end; number++) {
        String key = Content.loadedKey(number);
        boolean right = Content.loadedValue(number).equals(found.get(key));
        findings.object(right ? null : key + " was loaded, but is now " + found.get(key));
      }
    }
    for (int key = 0; key < Content.WRITTEN; key++) {
      String value = content.get(Content.writtenKey(key));
      findings.object(Content.objection(key, board.acknowledged(key), board.begun(key), value));
    }
    for (int counter = 0; counter < Content.COUNTERS; counter++) {
      readCounter(counter);
    }
    return Content.LOADED + Content.WRITTEN + Content.COUNTERS;
  }

  private void readCounter(int counter) {
    String key = Content.counterKey(counter);
    long value = Objects.requireNonNullElse(counters.get(key), 0L);
    if (value < board.leastCount(counter) || value > board.mostCount(counter)) {
      findings.object(
          "%s is %d, but between %d and %d were added"
              .formatted(key, value, board.leastCount(counter), board.mostCount(counter)));
    }
  }
}
