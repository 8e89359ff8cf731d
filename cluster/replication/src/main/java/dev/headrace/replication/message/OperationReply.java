package dev.headrace.replication.message;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an {@link Operation}.
 *
 * @param sequence the {@link OperationId#sequence} that it answers
 * @param outcome how it ended
 * @param applied whether the condition held and the cache was changed
 * @param value the value: of a GET the present one, of a mutation that wanted it the one from
 *     before the operation; null if the key was absent; of MEMORY_FULL the name of the owner; of
 *     one that writes several entries those that it {@link EncodedEntries#isLeft left}, null for
 *     none; of PROCESS what the processor has answered
 * @param versionTerm the version of the entry as the operation left it, 0 if it is absent then
 * @param versionCounter see {@code versionTerm}; of several entries that of the first, from which
 *     on they count up, whether they were left or not
 * @param number entries removed by CLEAR, or handled by one that writes several; of other
 *     operations the expiry, in cluster time, of the entry that was read or left as it was, 0 for
 *     never; of one that was not carried out the attempt that was refused
 * @param epoch the epoch of the answering node's table
 */
@SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
public record OperationReply(
    long sequence,
    Outcome outcome,
    boolean applied,
    byte @Nullable [] value,
    long versionTerm,
    long versionCounter,
    long number,
    long epoch)
    implements ReplicationMessage {
  /** How an operation ended. The order is the wire's: new outcomes go to the end. */
  public enum Outcome {
    /** It was carried out; whether a condition held is told by {@code applied}. */
    DONE,
    /**
     * This attempt was not carried out here: wrong owner, or one that is not ready. Wait for an
     * epoch newer than the reply's, or try again shortly.
     */
    STALE,
    /** It is too old to be told from a repetition: it may have been carried out before. */
    UNKNOWN,
    /** Not carried out: the segment has too few owners for a write. */
    UNAVAILABLE,
    /** Not carried out: the cache holds keys or values of another format. */
    WRONG_FORMAT,
    /** Not carried out: the entry or the segment would become too large. */
    TOO_LARGE,
    /** Not carried out: the cache is new, and the primary knows as many as it may. */
    TOO_MANY_CACHES,
    /** Not carried out: an owner has no room for the entry. */
    MEMORY_FULL
  }

  /** That of the operation's segment. */
  @Override
  public int share() {
    return OperationId.share(sequence);
  }

  /** An attempt is not carried out. */
  public static OperationReply refused(OperationId id, Outcome outcome, long epoch) {
    return new OperationReply(id.sequence(), outcome, false, null, 0, 0, id.attempt(), epoch);
  }

  /** An attempt is not carried out because an owner, whose name is told, has no room. */
  public static OperationReply memoryFull(OperationId id, String owner, long epoch) {
    byte[] name = owner.getBytes(StandardCharsets.UTF_8);
    return new OperationReply(
        id.sequence(), Outcome.MEMORY_FULL, false, name, 0, 0, id.attempt(), epoch);
  }

  /** The name of the owner without room; null if it is not told, or something else is wrong. */
  public @Nullable String fullNode() {
    byte[] name = value;
    return outcome == Outcome.MEMORY_FULL && name != null
        ? new String(name, StandardCharsets.UTF_8)
        : null;
  }

  /** An answer that carries nothing but how it ended. */
  public static OperationReply without(long sequence, Outcome outcome, long epoch) {
    return new OperationReply(sequence, outcome, false, null, 0, 0, 0, epoch);
  }
}
