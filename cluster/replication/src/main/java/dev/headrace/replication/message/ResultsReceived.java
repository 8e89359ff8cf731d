package dev.headrace.replication.message;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A caller tells an owner which results it has received, so that they need not be kept any more. An
 * operation says the same for its own segment; this is for segments to which the caller writes
 * nothing for a while.
 *
 * @param oldestOutstanding by share of the segments the smallest number whose result the caller
 *     still waits for, as in {@link OperationId#oldestOutstanding}; a number tells its share
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, and compared in tests only.
public record ResultsReceived(long[] oldestOutstanding) implements ReplicationMessage {
  /** The most shares in one message, which is all that there are. */
  public static final int MAX_SHARES = OperationId.SHARES;

  public ResultsReceived {
    if (oldestOutstanding.length > MAX_SHARES) {
      throw new IllegalArgumentException("there are no " + oldestOutstanding.length + " shares");
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ResultsReceived message
        && Arrays.equals(oldestOutstanding, message.oldestOutstanding);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(oldestOutstanding);
  }
}
