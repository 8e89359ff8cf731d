package dev.headrace.cluster.process;

import dev.headrace.api.Cache;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.process.Findings.Count;

/**
 * One hand of a writer: it writes version after version of the keys that are its own, and adds to
 * counters that all hands share. Each write also tells what it replaced, which must be the version
 * before. Used by one thread at a time.
 */
final class Writer {
  private static final int TURNS_PER_ADDITION = 4;

  private final Cache<String, String> content;
  private final Cache<String, Long> counters;
  private final Board board;
  private final Findings findings;
  private final int firstKey;
  private int turns;

  Writer(
      Cache<String, String> content,
      Cache<String, Long> counters,
      Board board,
      Findings findings,
      int hand) {
    this.content = content;
    this.counters = counters;
    this.board = board;
    this.findings = findings;
    this.firstKey = hand * Content.KEYS_PER_HAND;
  }

  /** Writes one key; now and then it adds to a counter. */
  void turn() {
    int turn = turns++;
    if (turn % TURNS_PER_ADDITION == 0) {
      add((firstKey + turn / TURNS_PER_ADDITION) % Content.COUNTERS);
    }
    write(firstKey + turn % Content.KEYS_PER_HAND);
  }

  private void write(int key) {
    long acknowledged = board.acknowledged(key);
    long version = board.begin(key);
    String name = Content.writtenKey(key);
    try {
      String before =
          Content.isPresent(key, version)
              ? content.getAndPut(name, Content.writtenValue(key, version))
              : content.getAndRemove(name);
      board.acknowledge(key, version);
      findings.count(Count.ACKNOWLEDGED);
      findings.object(Content.objection(key, acknowledged, version - 1, before));
    } catch (OutcomeUnknownException e) {
      findings.count(Count.UNKNOWN);
    } catch (UnavailableException e) {
      board.refuse(key);
      findings.count(Count.REFUSED);
    }
  }

  private void add(int counter) {
    try {
      counters.merge(Content.counterKey(counter), 1L, Long::sum);
      board.added(counter);
      findings.count(Count.ACKNOWLEDGED);
    } catch (OutcomeUnknownException e) {
      board.perhapsAdded(counter);
      findings.count(Count.UNKNOWN);
    } catch (UnavailableException e) {
      findings.count(Count.REFUSED);
    }
  }
}
