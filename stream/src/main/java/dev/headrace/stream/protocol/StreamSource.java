package dev.headrace.stream.protocol;

import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.token.ResumeToken;
import org.jspecify.annotations.Nullable;

/**
 * What a stream reads; the same for all its requests.
 *
 * @param operators what the nodes do with the entries; null for nothing
 */
public record StreamSource(
    String cache,
    int format,
    Projection projection,
    long clusterIdentity,
    @Nullable Operators operators) {

  /** Entries as they are. */
  public StreamSource(String cache, int format, Projection projection, long clusterIdentity) {
    this(cache, format, projection, clusterIdentity, null);
  }

  /** What a resume token knows of the operators. */
  public long operatorsDigest() {
    return operators == null ? ResumeToken.NO_OPERATORS : operators.digest();
  }

  /** Whether the nodes answer partial results, of which no entry can be told. */
  public boolean reduces() {
    return operators != null && operators.reduces();
  }

  /** The same, with the key of every entry. */
  public StreamSource withKeys() {
    return projection == Projection.VALUES
        ? new StreamSource(cache, format, Projection.ENTRIES, clusterIdentity, operators)
        : this;
  }
}
