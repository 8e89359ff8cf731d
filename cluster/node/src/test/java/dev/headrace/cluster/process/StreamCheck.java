package dev.headrace.cluster.process;

import dev.headrace.cluster.process.Findings.Count;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * Checks one exactly-once stream, its resumptions included: keys that are present throughout arrive
 * once, all others at most once, and every value was current at some moment of the stream. Used by
 * one thread at a time.
 */
final class StreamCheck {
  private static final int NAMED = 5;

  private final Board board;
  private final Findings findings;
  private final long epoch;
  private final long[] acknowledged = new long[Content.WRITTEN];
  private final BitSet loaded = new BitSet(Content.LOADED);
  private final BitSet written = new BitSet(Content.WRITTEN);

  /**
   * To be made before the stream begins.
   *
   * @param epoch of the segment table by then
   */
  StreamCheck(Board board, Findings findings, long epoch) {
    this.board = board;
    this.findings = findings;
    this.epoch = epoch;
    for (int key = 0; key < Content.WRITTEN; key++) {
      acknowledged[key] = board.acknowledged(key);
    }
  }

  void arrived(Map.Entry<String, String> entry) {
    String key = entry.getKey();
    int number = Content.loadedNumber(key);
    if (number >= 0) {
      once(loaded, number, key);
      boolean right = entry.getValue().equals(Content.loadedValue(number));
      findings.object(right ? null : "A stream brings " + entry);
      return;
    }
    number = Content.writtenNumber(key);
    if (number < 0) {
      findings.object("A stream brings " + entry + ", which nobody has written");
      return;
    }
    once(written, number, key);
    String wrong =
        Content.objection(number, acknowledged[number], board.begun(number), entry.getValue());
    findings.object(wrong == null ? null : "In a stream, " + wrong);
  }

  private void once(BitSet seen, int number, String key) {
    findings.object(seen.get(number) ? "A stream brings " + key + " twice" : null);
    seen.set(number);
  }

  /**
   * The stream has completed.
   *
   * @param newEpoch of the segment table by now
   */
  void completed(long newEpoch) {
    List<String> missing = new ArrayList<>();
    for (int number = 0; number < Content.LOADED; number++) {
      if (!loaded.get(number)) {
        missing.add(Content.loadedKey(number));
      }
    }
    for (int number = 0; number < Content.WRITTEN; number++) {
      boolean throughout = acknowledged[number] > 0 && Content.staysPresent(number);
      if (throughout && !written.get(number)) {
        missing.add(Content.writtenKey(number));
      }
    }
    if (!missing.isEmpty()) {
      findings.object(
          "A stream from epoch %d to %d left out %d keys, among them %s"
              .formatted(epoch, newEpoch, missing.size(), missing.stream().limit(NAMED).toList()));
    }
    findings.count(Count.STREAMED);
    if (newEpoch != epoch) {
      findings.count(Count.ACROSS_CHANGES);
    }
  }
}
