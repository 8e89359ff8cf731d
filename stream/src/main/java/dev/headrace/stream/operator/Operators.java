package dev.headrace.stream.operator;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.stream.entry.EntryFilter;
import dev.headrace.stream.operator.FunctionCall.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request wants done with the entries: which are chosen, and what is answered of them. Made
 * by {@link OperatorCompiler}; immutable.
 *
 * <pre>
 * 1 byte   version: 3 if a {@link Path} leads to an added component, else 2
 * 1 byte   1 if a filter follows, else 0
 *          the filter ({@link MatcherReader})
 * 1 byte   number of functions that are asked about each entry, then their {@link FunctionCall}s
 * 1 byte   0 entries, 1 rows, 2 a reduction, 3 what a function makes of entries
 *          rows: 1 byte number of parts, then each as a {@link Path}
 *          a reduction: 1 byte 1 if it has groups, then the {@link Path} of their keys;
 *          1 byte 1 if it adds up numbers, then the {@link Path} of these
 *          a function: its {@link FunctionCall}
 * </pre>
 */
public final class Operators {

  /** The most bytes of a program. */
  public static final int MAX_BYTES = 1 << 16;

  /** The most parts of a row. */
  public static final int MAX_PARTS = 64;

  /** The most functions that are asked about each entry. */
  public static final int MAX_CALLS = 16;

  /** As many entries are examined for one answer if looking at one takes a single step. */
  private static final int MOST_EXAMINED = 1 << 15;

  /** As many steps are made for one answer, about: well below a millisecond. */
  private static final int MOST_STEPS = 1 << 17;

  /** At least as many entries are examined, so that programs of any size get on. */
  private static final int LEAST_EXAMINED = 128;

  private static final int GROUPS_ROOM_BYTES = 256 << 10;
  private static final int TOTAL_ROOM_BYTES = 256;

  /** The version of the protocol whose nodes know programs with added components. */
  public static final int ADDED_PROTOCOL = 8;

  static final int VERSION = 2;

  /** That of programs with added components. */
  static final int ADDED_VERSION = 3;

  static final int ENTRIES = 0;
  static final int ROWS = 1;
  static final int REDUCTION = 2;
  static final int CALL = 3;

  private final byte[] bytes;
  private final @Nullable Matcher matcher;
  private final List<FunctionCall> filters;
  private final Outcome outcome;
  private final int examined;

  /** What is answered instead of entries; at most one is not null. */
  private record Outcome(
      @Nullable Row row, @Nullable Reduction reduction, @Nullable FunctionCall call) {}

  /** The parts that are answered instead of whole entries. */
  record Row(List<Path> parts) {

    Row {
      parts = List.copyOf(parts);
    }
  }

  /**
   * What is counted and added up instead.
   *
   * @param group the part by whose values there are groups; null for one total
   * @param number what is added up; null if entries are only counted
   */
  record Reduction(@Nullable Path group, @Nullable Path number) {}

  private Operators(
      byte[] bytes,
      @Nullable Matcher matcher,
      List<FunctionCall> filters,
      Outcome outcome,
      int steps) {
    this.bytes = bytes;
    this.matcher = matcher;
    this.filters = filters;
    this.outcome = outcome;
    this.examined = Math.max(LEAST_EXAMINED, Math.min(MOST_EXAMINED, MOST_STEPS / steps));
  }

  /**
   * Loads a program.
   *
   * @param bytes not copied
   * @throws IllegalArgumentException if they are no program of a known version
   */
  public static Operators load(byte[] bytes) {
    Path.require(bytes.length <= MAX_BYTES, "it has " + bytes.length + " bytes");
    ByteInput in = ByteInput.of(bytes);
    int version = in.readByte();
    if (version != VERSION && version != ADDED_VERSION) {
      throw new IllegalArgumentException(
          "a program has version %d, but this node knows versions %d and %d"
              .formatted(version, VERSION, ADDED_VERSION));
    }
    MatcherReader reader = new MatcherReader(in);
    Matcher matcher = flag(in) ? reader.read() : null;
    List<FunctionCall> filters = readFilters(in);
    int kind = in.readByte();
    Outcome outcome =
        switch (kind) {
          case ENTRIES -> new Outcome(null, null, null);
          case ROWS -> new Outcome(readRow(in), null, null);
          case REDUCTION -> new Outcome(null, readReduction(in), null);
          case CALL -> new Outcome(null, null, readCall(in));
          default -> throw new IllegalArgumentException("a program is damaged: a kind is " + kind);
        };
    Path.require(in.remaining() == 0, in.remaining() + " bytes are left over");
    int steps = 1 + reader.steps() + steps(outcome.row());
    return new Operators(bytes, matcher, filters, outcome, steps);
  }

  private static List<FunctionCall> readFilters(ByteInput in) {
    int count = in.readByte();
    Path.require(count >= 0 && count <= MAX_CALLS, "functions asked are " + count);
    List<FunctionCall> filters = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      FunctionCall call = FunctionCall.read(in);
      Path.require(call.kind() == Kind.FILTER, "a filter is a " + call.kind());
      filters.add(call);
    }
    return List.copyOf(filters);
  }

  private static FunctionCall readCall(ByteInput in) {
    FunctionCall call = FunctionCall.read(in);
    Path.require(call.kind() != Kind.FILTER, "a filter stands where none does");
    return call;
  }

  private static boolean flag(ByteInput in) {
    int flag = in.readByte();
    Path.require(flag == 0 || flag == 1, "a flag is " + flag);
    return flag == 1;
  }

  private static Row readRow(ByteInput in) {
    int count = in.readByte();
    Path.require(count >= 1 && count <= MAX_PARTS, "a row has " + count + " parts");
    Path[] parts = new Path[count];
    for (int i = 0; i < count; i++) {
      parts[i] = Path.read(in);
      Path.require(isEncoded(parts[i]), "a part of a row is not in the entry");
    }
    return new Row(List.of(parts));
  }

  private static Reduction readReduction(ByteInput in) {
    Path group = flag(in) ? Path.read(in) : null;
    Path number = flag(in) ? Path.read(in) : null;
    Path.require(group == null || isEncoded(group), "groups are not in the entry");
    Path.require(
        number == null || (!number.isAdded() && (number.isLong() || number.isDouble())),
        "what is added up is no number");
    return new Reduction(group, number);
  }

  private static boolean isEncoded(Path path) {
    return !path.length()
        && !path.isAdded()
        && (path.origin() == Path.Origin.KEY || path.origin() == Path.Origin.VALUE);
  }

  private static int steps(@Nullable Row row) {
    return row == null ? 0 : row.parts().stream().mapToInt(Path::cost).sum();
  }

  /** Whether it looks at added components, which nodes know since {@link #ADDED_PROTOCOL}. */
  public boolean looksAtAdded() {
    return bytes[0] == ADDED_VERSION;
  }

  /** The program's bytes; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** Whether something else than whole entries is answered. */
  public boolean transforms() {
    return callsFunctions() || outcome.row() != null || outcome.reduction() != null;
  }

  /**
   * Whether functions of the user run for it, which may take long, and must not run on a thread of
   * the wire.
   */
  public boolean callsFunctions() {
    return !filters.isEmpty() || outcome.call() != null;
  }

  /** Whether rows are answered. */
  public boolean selects() {
    return outcome.row() != null;
  }

  /** The functions that are asked about each entry that the filter accepts, in order. */
  public List<FunctionCall> filters() {
    return filters;
  }

  /** The function whose results are answered; null if there is none. */
  public @Nullable FunctionCall call() {
    return outcome.call();
  }

  /** A number that differs between programs; never 0. */
  public long digest() {
    long hash = Hashing.xxh3_64().hashBytesToLong(bytes);
    return hash == 0 ? 1 : hash;
  }

  /** The filter as it looks at entries through a frame; null if all entries are wanted. */
  public @Nullable EntryFilter filter(EntryFrame frame) {
    Matcher wanted = matcher;
    if (wanted == null) {
      return null;
    }
    return (page, offset, lengthBytes) -> {
      frame.turnTo(page, offset, lengthBytes);
      return wanted.matches(frame);
    };
  }

  /** Whether a result is answered instead of entries. */
  public boolean reduces() {
    FunctionCall call = outcome.call();
    return outcome.reduction() != null || (call != null && call.kind().reduces());
  }

  /** Whether entries are only counted, so that nothing of them need be copied. */
  public boolean countsOnly() {
    Reduction reduction = outcome.reduction();
    return filters.isEmpty()
        && reduction != null
        && reduction.group() == null
        && reduction.number() == null;
  }

  /** Whether all entries are only counted, and none need be looked at. */
  public boolean countsAll() {
    return countsOnly() && matcher == null;
  }

  /** How large a buffer an answer with a result needs at least, as a guess. */
  public int roomBytes() {
    Reduction reduction = outcome.reduction();
    boolean total = reduction != null && reduction.group() == null && filters.isEmpty();
    return total ? TOTAL_ROOM_BYTES : GROUPS_ROOM_BYTES;
  }

  @Nullable Matcher matcher() {
    return matcher;
  }

  @Nullable Row row() {
    return outcome.row();
  }

  @Nullable Reduction reduction() {
    return outcome.reduction();
  }

  /** The most entries to examine for one answer, so that it takes about a millisecond at most. */
  public int mostExamined() {
    return examined;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Operators that && Arrays.equals(that.bytes, bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
