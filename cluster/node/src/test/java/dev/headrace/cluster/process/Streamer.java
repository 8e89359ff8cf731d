package dev.headrace.cluster.process;

import dev.headrace.api.Cache;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.cluster.process.Findings.Count;
import java.util.Iterator;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Streams the whole content again and again, exactly once, and checks every stream. A stream that
 * ends with an error goes on with its resume token. Used by one thread at a time.
 */
final class Streamer implements AutoCloseable {
  private static final int BATCH_ENTRIES = 500;

  private final Cache<String, String> content;
  private final LongSupplier epoch;
  private final Board board;
  private final Findings findings;
  private final int entriesPerTurn;
  private @Nullable StreamCheck check;
  private @Nullable Stream<Map.Entry<String, String>> opened;
  private @Nullable Iterator<Map.Entry<String, String>> entries;

  /**
   * @param epoch of the segment table
   * @param entriesPerTurn how many entries are taken before the others' turn
   */
  Streamer(
      Cache<String, String> content,
      LongSupplier epoch,
      Board board,
      Findings findings,
      int entriesPerTurn) {
    this.content = content;
    this.epoch = epoch;
    this.board = board;
    this.findings = findings;
    this.entriesPerTurn = entriesPerTurn;
  }

  /** Takes some more entries, or goes on after an error. */
  void turn() {
    StreamCheck running = check;
    if (running == null) {
      running = new StreamCheck(board, findings, epoch.getAsLong());
      check = running;
      open(stream());
    }
    try {
      pull(running);
    } catch (StreamInterruptedException e) {
      findings.count(Count.RESUMED);
      closeEntries();
      open(stream().resumeFrom(e.resumeToken()));
    }
  }

  /** Streams everything once. */
  void streamAll() {
    do {
      turn();
    } while (check != null);
  }

  private void pull(StreamCheck running) {
    for (int taken = 0; entries != null && taken < entriesPerTurn; taken++) {
      if (entries.hasNext()) {
        running.arrived(entries.next());
      } else {
        running.completed(epoch.getAsLong());
        closeEntries();
        check = null;
      }
    }
  }

  private CacheStream<String, String> stream() {
    return content.stream().batchSize(BATCH_ENTRIES);
  }

  /**
   * Pulls with what nodes of the previous version have, too: their iterators are of another type.
   */
  private void open(CacheStream<String, String> stream) {
    Stream<Map.Entry<String, String>> pulled =
        stream.entries().toFlowable().blockingStream(BATCH_ENTRIES);
    opened = pulled;
    entries = pulled.iterator();
  }

  private void closeEntries() {
    if (opened != null) {
      opened.close();
      opened = null;
      entries = null;
    }
  }

  @Override
  public void close() {
    closeEntries();
    check = null;
  }
}
