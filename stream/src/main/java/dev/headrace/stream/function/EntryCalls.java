package dev.headrace.stream.function;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.operator.EntryFrame;
import dev.headrace.stream.operator.FunctionCall;
import dev.headrace.stream.operator.Operators;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of functions that one request makes. Each method may throw a {@link FunctionFault},
 * which ends the answer. For one thread.
 */
public final class EntryCalls {

  /** The most entries for which functions are called for one answer. */
  public static final int MOST_ENTRIES = 1024;

  /** An answer ends with the entry after which functions have run for so long. */
  private static final long MOST_NANOS = 10_000_000L;

  private final List<BoundCall<?, ?, ?, ?>> filters;
  private final FunctionCall.@Nullable Kind kind;
  private final @Nullable BoundCall<?, ?, ?, ?> call;
  private final LongSupplier nanoTime;
  private final long beganNanos;
  private final DecodedEntry entry = new DecodedEntry();

  /**
   * @param kind what the call is for; null if there is none
   */
  EntryCalls(
      List<BoundCall<?, ?, ?, ?>> filters,
      FunctionCall.@Nullable Kind kind,
      @Nullable BoundCall<?, ?, ?, ?> call,
      LongSupplier nanoTime) {
    this.filters = List.copyOf(filters);
    this.kind = kind;
    this.call = call;
    this.nanoTime = nanoTime;
    beganNanos = nanoTime.getAsLong();
  }

  /** Turns to the frame's entry. Returns whether all filters accept it. */
  public boolean accepts(EntryFrame frame) {
    entry.turnTo(frame);
    for (BoundCall<?, ?, ?, ?> filter : filters) {
      if (!filter.accepts(entry)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a state is answered instead of results of entries. */
  public boolean reduces() {
    return kind != null && kind.reduces();
  }

  /** Whether functions have run for so long that the answer should end. */
  public boolean timeIsUp() {
    return nanoTime.getAsLong() - beganNanos >= MOST_NANOS;
  }

  /** Adds the entry that was turned to, to the state. */
  public void add() {
    present().add(entry);
  }

  /** The encoded state; null if there is none. */
  public byte @Nullable [] state() {
    return reduces() ? present().state() : null;
  }

  /** The fault of a state that has so many bytes, although it is of one entry. */
  public FunctionFault tooLarge(long bytes) {
    return present().tooLargeState(bytes);
  }

  private BoundCall<?, ?, ?, ?> present() {
    return Objects.requireNonNull(call, "a call");
  }

  /**
   * Writes what is answered of the entries that were accepted: results, or the entries themselves.
   * An entry that expires keeps its key, since it is looked up again if it expires on its way.
   *
   * @param withKeys whether each keeps the key of its entry
   * @param withValues whether each keeps its value, where entries are answered
   */
  public EntryFrame.Writer writer(boolean withKeys, boolean withValues) {
    return call == null ? new EntryWriter(withKeys, withValues) : new ResultWriter(withKeys);
  }

  private static boolean keepsKey(boolean withKeys, EntryFrame frame) {
    return withKeys || frame.hasExpiry();
  }

  private static long expiryMillis(EntryFrame frame) {
    return frame.hasExpiry() ? frame.expiryMillis() : 0;
  }

  private static int keyBytes(boolean withKeys, EntryFrame frame) {
    return keepsKey(withKeys, frame) ? frame.keyEnd() - frame.keyOffset() : 0;
  }

  private final class ResultWriter implements EntryFrame.Writer {
    private final boolean withKeys;
    private final ByteOutput results = new ByteOutput();

    ResultWriter(boolean withKeys) {
      this.withKeys = withKeys;
    }

    @Override
    public long measure(EntryFrame frame) {
      results.reset();
      return present().results(entry, results)
          ? EntryLayout.entryBytes(
              keyBytes(withKeys, frame), results.size(), 0, 0, expiryMillis(frame))
          : 0;
    }

    @Override
    public void append(EntryFrame frame, ByteBuffer out) {
      int keyBytes = keyBytes(withKeys, frame);
      EntryLayout.appendHead(out, keyBytes, results.size(), 0, 0, expiryMillis(frame));
      out.put(frame.bytes(), frame.keyOffset(), keyBytes);
      out.put(results.array(), 0, results.size());
    }
  }

  private static final class EntryWriter implements EntryFrame.Writer {
    private final boolean withKeys;
    private final boolean withValues;

    EntryWriter(boolean withKeys, boolean withValues) {
      this.withKeys = withKeys;
      this.withValues = withValues;
    }

    private int valueBytes(EntryFrame frame) {
      return withValues ? frame.valueEnd() - frame.keyEnd() : 0;
    }

    @Override
    public long measure(EntryFrame frame) {
      return EntryLayout.entryBytes(
          keyBytes(withKeys, frame),
          valueBytes(frame),
          frame.term(),
          frame.counter(),
          expiryMillis(frame));
    }

    @Override
    public void append(EntryFrame frame, ByteBuffer out) {
      int keyBytes = keyBytes(withKeys, frame);
      int valueBytes = valueBytes(frame);
      EntryLayout.appendHead(
          out, keyBytes, valueBytes, frame.term(), frame.counter(), expiryMillis(frame));
      out.put(frame.bytes(), frame.keyOffset(), keyBytes);
      out.put(frame.bytes(), frame.keyEnd(), valueBytes);
    }
  }

  /** Binds calls to functions. */
  interface Binder {
    BoundCall<?, ?, ?, ?> bind(FunctionCall call);
  }

  static EntryCalls of(Operators operators, Binder binder, LongSupplier nanoTime) {
    FunctionCall result = operators.call();
    List<BoundCall<?, ?, ?, ?>> bound = new ArrayList<>();
    operators.filters().forEach(each -> bound.add(binder.bind(each)));
    return result == null
        ? new EntryCalls(bound, null, null, nanoTime)
        : new EntryCalls(bound, result.kind(), binder.bind(result), nanoTime);
  }
}
