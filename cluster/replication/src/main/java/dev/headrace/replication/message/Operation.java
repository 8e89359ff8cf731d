package dev.headrace.replication.message;

import org.jspecify.annotations.Nullable;

/**
 * One operation on one segment, from a caller to an owner.
 *
 * @param id recognises a repetition
 * @param format a hash of the formats of keys and values, 0 for any
 * @param admission the epoch at which the caller was admitted, by its table: what it asked for
 *     under an earlier one is not carried out any more
 * @param kind what to do
 * @param key the encoded key; empty for kinds that are not {@link Kind#keyed() about one}
 * @param value the encoded new value of a {@link Kind#writesValue() writing} kind
 * @param expected the encoded value to compare with, for the {@code IF_EQUAL} kinds; of {@link
 *     Kind#PROCESS} the call of the processor, which nodes understand and lanes do not
 * @param versionTerm the version to compare with, for the {@code IF_VERSION} kinds; term 0 and
 *     counter 0 mean that the key must be absent
 * @param versionCounter see {@code versionTerm}
 * @param expiryMillis when the new value expires, in cluster time; 0 for never, and for those of
 *     several keys, each of which has its own; of {@link Kind#PROCESS} when one that is new
 *     expires, unless the processor says otherwise
 * @param wantPrevious whether the reply should bring the value: of a GET the present one, else the
 *     one from before the operation; an {@code IF_VERSION} kind brings it only if the version is
 *     another
 * @param reserve whether an {@code IF_VERSION} kind that finds another version reserves the key for
 *     its caller: for a moment the primary lets other nodes' mutations of the key wait
 */
@SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
public record Operation(
    OperationId id,
    String cache,
    int format,
    int segment,
    long segmentEpoch,
    long epoch,
    long admission,
    Kind kind,
    byte[] key,
    byte @Nullable [] value,
    byte @Nullable [] expected,
    long versionTerm,
    long versionCounter,
    long expiryMillis,
    boolean wantPrevious,
    boolean reserve)
    implements SegmentMessage {

  /** Nodes before this version of the protocol do not know {@link Kind#PROCESS}. */
  public static final int PROCESS_PROTOCOL = 8;

  /** What an operation does. The order is the wire's: new kinds go to the end. */
  public enum Kind {
    /** Reads the value and its version; any owner answers. */
    GET(false, false),
    /** Sets the value. */
    PUT(true, true),
    /** Sets the value if the key is absent. */
    PUT_IF_ABSENT(true, true),
    /** Sets the value if the key is present. */
    REPLACE(true, true),
    /** Sets the value if the present one has the expected bytes. */
    REPLACE_IF_EQUAL(true, true),
    /** Removes the key. */
    REMOVE(true, false),
    /** Removes the key if its value has the expected bytes. */
    REMOVE_IF_EQUAL(true, false),
    /** Sets the value if the present one has the expected version. */
    REPLACE_IF_VERSION(true, true),
    /** Removes the key if its value has the expected version. */
    REMOVE_IF_VERSION(true, false),
    /** Removes all entries of the segment. */
    CLEAR(true, false),
    /** Sets the values of many keys: the value is {@link EncodedEntries}, and there is no key. */
    PUT_ALL(true, true),
    /** The same, but only of keys that are absent. */
    PUT_ALL_IF_ABSENT(true, true),
    /**
     * Has the primary run a processor on the entry and do what that decides; since version {@value
     * Operation#PROCESS_PROTOCOL} of the protocol.
     */
    PROCESS(true, false);

    private final boolean mutation;
    private final boolean writesValue;

    Kind(boolean mutation, boolean writesValue) {
      this.mutation = mutation;
      this.writesValue = writesValue;
    }

    /** Whether it goes through the lane and to every owner. */
    public boolean mutation() {
      return mutation;
    }

    /** Whether it carries a new value, or several. */
    public boolean writesValue() {
      return writesValue;
    }

    /** Whether it writes entries of several keys. */
    public boolean ofMany() {
      return this == PUT_ALL || this == PUT_ALL_IF_ABSENT;
    }

    /** Whether it is about one key. */
    public boolean keyed() {
      return this != CLEAR && !ofMany();
    }
  }
}
