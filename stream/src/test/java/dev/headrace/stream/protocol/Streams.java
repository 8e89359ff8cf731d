package dev.headrace.stream.protocol;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.token.ResumeToken;
import java.util.List;

/** What tests of other packages have to know of the protocol. */
public final class Streams {

  /** How long a stream waits for a segment without any progress. */
  public static final long STALL_LIMIT_NANOS = ReadPlanner.STALL_LIMIT_NANOS;

  private Streams() {}

  /** A token of a stream that has one segment left to read. */
  public static String token(
      long clusterIdentity, String cache, int segments, int segment, int incarnation) {
    Progress progress = new Progress(segments);
    progress.add(segment, incarnation, Cursor.START);
    return new ResumeToken(
            clusterIdentity, cache, ResumeToken.ALL_KEYS, segments, progress.remainder(), List.of())
        .encode();
  }
}
