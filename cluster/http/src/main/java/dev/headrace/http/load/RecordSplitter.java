package dev.headrace.http.load;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts pieces of a text into records, which end with a line, except that a line feed within a
 * quoted column of CSV belongs to it. Blank lines are no records. For one thread at a time.
 */
final class RecordSplitter {
  private static final byte[] NOTHING = {};

  /** Which some programs write at the beginning of UTF-8. */
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final boolean quotes;
  private final int mostBytes;
  private final RecordBuffer record;
  private byte[] piece = NOTHING;
  private int at;
  private boolean ended;
  private boolean tooLong;
  private Quoting quoting = Quoting.NONE;
  private boolean columnBegins = true;
  private long line = 1;
  private long firstLine = 1;

  /** Where a column of CSV is. */
  private enum Quoting {
    NONE,
    WITHIN,
    /** Behind a quote that closes the column, or is the first of two that stand for one. */
    CLOSED
  }

  /**
   * A record.
   *
   * @param line the number of its first line, from 1
   * @param bytes without the end of its line; empty if it is too long
   * @param tooLong whether it has more bytes than allowed, which were dropped
   * @param unclosed whether it ended within quotes
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  record RawRecord(long line, byte[] bytes, boolean tooLong, boolean unclosed) {}

  /**
   * @param quotes whether columns may be quoted
   * @param mostBytes the most bytes of a record
   * @param budget where large records are counted
   */
  RecordSplitter(boolean quotes, int mostBytes, RecordBudget budget) {
    this.quotes = quotes;
    this.mostBytes = mostBytes;
    this.record = new RecordBuffer(mostBytes, budget);
  }

  /** The most bytes of a record. */
  int mostBytes() {
    return mostBytes;
  }

  /** Adds a piece, when the one before has been used up. */
  void add(byte[] more) {
    piece = more;
    at = 0;
  }

  /** Nothing follows any more. */
  void end() {
    ended = true;
  }

  /** No record is wanted any more; may be told again. */
  void close() {
    piece = NOTHING;
    at = 0;
    record.clear();
  }

  /**
   * The next record; null if it has not come to its end yet, or there is none.
   *
   * @throws dev.headrace.http.exchange.ProblemException 503 if the budget is used up
   */
  @Nullable RawRecord next() {
    record.release();
    while (at < piece.length) {
      byte next = piece[at++];
      if (next == '\n') {
        line++;
        if (quoting != Quoting.WITHIN) {
          RawRecord found = take();
          if (found != null) {
            return found;
          }
          continue;
        }
      }
      add(next);
    }
    piece = NOTHING;
    at = 0;
    return ended ? take() : null;
  }

  private void add(byte next) {
    if (quotes) {
      look(next);
    }
    if (!tooLong && !record.add(next)) {
      tooLong = true;
      record.clear();
    }
  }

  private void look(byte next) {
    if (next == '"') {
      boolean opens = quoting == Quoting.CLOSED || (quoting == Quoting.NONE && columnBegins);
      if (quoting == Quoting.WITHIN) {
        quoting = Quoting.CLOSED;
      } else if (opens) {
        quoting = Quoting.WITHIN;
      }
    } else if (quoting == Quoting.CLOSED) {
      quoting = Quoting.NONE;
    }
    columnBegins = next == ',' && quoting == Quoting.NONE;
  }

  /** The record that has come to its end; null for a blank line. */
  private @Nullable RawRecord take() {
    long first = firstLine;
    boolean wasTooLong = tooLong;
    boolean unclosed = quoting == Quoting.WITHIN;
    byte[] bytes = record.take();
    tooLong = false;
    quoting = Quoting.NONE;
    columnBegins = true;
    firstLine = line;
    int end = bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? bytes.length - 1 : bytes.length;
    int start = first == 1 && startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0;
    if (start > 0 || end < bytes.length) {
      bytes = Arrays.copyOfRange(bytes, Math.min(start, end), end);
    }
    return wasTooLong || !isBlank(bytes) ? new RawRecord(first, bytes, wasTooLong, unclosed) : null;
  }

  private static boolean startsWithMark(byte[] bytes) {
    int length = BYTE_ORDER_MARK.length;
    return bytes.length >= length && Arrays.equals(bytes, 0, length, BYTE_ORDER_MARK, 0, length);
  }

  private static boolean isBlank(byte[] bytes) {
    for (byte each : bytes) {
      if (each != ' ' && each != '\t') {
        return false;
      }
    }
    return true;
  }
}
