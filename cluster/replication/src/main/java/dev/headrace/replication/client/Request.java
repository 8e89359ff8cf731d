package dev.headrace.replication.client;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationId;
import org.jspecify.annotations.Nullable;

/**
 * What a caller wants done; it becomes an {@link Operation} whenever it is sent. See there for the
 * fields.
 *
 * @param segment of a CLEAR, and of one that writes several entries; of all others it follows from
 *     the key and is not looked at
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record Request(
    Kind kind,
    String cache,
    int format,
    int segment,
    byte[] key,
    byte @Nullable [] value,
    byte @Nullable [] expected,
    long versionTerm,
    long versionCounter,
    long expiryMillis,
    boolean wantPrevious,
    boolean reserve) {
  private static final byte[] NO_KEY = {};
  private static final long NO_VERSION = -1; // a version that no entry has

  /** Checks that a value is there where one is needed. */
  public Request {
    if (kind.writesValue() != (value != null)) {
      throw new IllegalArgumentException(
          kind + (value == null ? " needs a value" : " takes no value"));
    }
    boolean compares =
        kind == Kind.REPLACE_IF_EQUAL || kind == Kind.REMOVE_IF_EQUAL || kind == Kind.PROCESS;
    if (compares != (expected != null)) {
      throw new IllegalArgumentException(
          kind + (expected == null ? " needs an expected value" : " takes no expected value"));
    }
  }

  /** Reads a value, or with {@code wantValue} false only whether there is one. */
  public static Request get(String cache, int format, byte[] key, boolean wantValue) {
    return new Request(Kind.GET, cache, format, 0, key, null, null, 0, 0, 0, wantValue, false);
  }

  /** PUT, PUT_IF_ABSENT or REPLACE. */
  public static Request set(
      Kind kind,
      String cache,
      int format,
      byte[] key,
      byte[] value,
      long expiryMillis,
      boolean wantPrevious) {
    return new Request(
        kind, cache, format, 0, key, value, null, 0, 0, expiryMillis, wantPrevious, false);
  }

  public static Request remove(String cache, int format, byte[] key, boolean wantPrevious) {
    return new Request(
        Kind.REMOVE, cache, format, 0, key, null, null, 0, 0, 0, wantPrevious, false);
  }

  /** REPLACE_IF_EQUAL, or REMOVE_IF_EQUAL without a value. */
  public static Request ifEqual(
      String cache,
      int format,
      byte[] key,
      byte[] expected,
      byte @Nullable [] value,
      long expiryMillis) {
    Kind kind = value == null ? Kind.REMOVE_IF_EQUAL : Kind.REPLACE_IF_EQUAL;
    return new Request(
        kind, cache, format, 0, key, value, expected, 0, 0, expiryMillis, false, false);
  }

  /**
   * PROCESS.
   *
   * @param call the call of the processor
   * @param expiryMillis when an entry that it makes expires, unless it says otherwise
   */
  public static Request process(
      String cache, int format, byte[] key, byte[] call, long expiryMillis) {
    return new Request(
        Kind.PROCESS, cache, format, 0, key, null, call, 0, 0, expiryMillis, false, false);
  }

  /**
   * REPLACE_IF_VERSION, or REMOVE_IF_VERSION without a value.
   *
   * @param wantPresent whether the reply should bring the present value if the version is another,
   *     so that a computation can go on without reading again
   */
  public static Request ifVersion(
      String cache,
      int format,
      byte[] key,
      long term,
      long counter,
      byte @Nullable [] value,
      long expiryMillis,
      boolean wantPresent) {
    Kind kind = value == null ? Kind.REMOVE_IF_VERSION : Kind.REPLACE_IF_VERSION;
    return new Request(
        kind, cache, format, 0, key, value, null, term, counter, expiryMillis, wantPresent, false);
  }

  /**
   * Changes nothing, but ends the reservation of a key that this node may have.
   *
   * @see Operation#reserve
   */
  public static Request release(String cache, int format, byte[] key) {
    return ifVersion(cache, format, key, NO_VERSION, NO_VERSION, null, 0, false);
  }

  /** The same, which reserves the key if the version is another. */
  public Request reserving() {
    return new Request(
        kind,
        cache,
        format,
        segment,
        key,
        value,
        expected,
        versionTerm,
        versionCounter,
        expiryMillis,
        wantPrevious,
        true);
  }

  public static Request clear(String cache, int format, int segment) {
    return new Request(
        Kind.CLEAR, cache, format, segment, NO_KEY, null, null, 0, 0, 0, false, false);
  }

  /**
   * Writes several entries of a segment.
   *
   * @param entries the bytes of {@link dev.headrace.replication.message.EncodedEntries}
   */
  static Request putAll(boolean ifAbsent, String cache, int format, int segment, byte[] entries) {
    Kind kind = ifAbsent ? Kind.PUT_ALL_IF_ABSENT : Kind.PUT_ALL;
    return new Request(kind, cache, format, segment, NO_KEY, entries, null, 0, 0, 0, false, false);
  }

  Operation operation(OperationId id, int keySegment, SegmentTable table) {
    return new Operation(
        id,
        cache,
        format,
        keySegment,
        table.segmentEpoch(keySegment),
        table.epoch(),
        table.admittedAt(id.caller()),
        kind,
        key,
        value,
        expected,
        versionTerm,
        versionCounter,
        expiryMillis,
        wantPrevious,
        reserve);
  }

  /** How many bytes of a key and of values travel with it. */
  public long bytes() {
    return (long) key.length
        + (value == null ? 0 : value.length)
        + (expected == null ? 0 : expected.length);
  }
}
