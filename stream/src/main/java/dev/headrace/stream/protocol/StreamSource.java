package dev.headrace.stream.protocol;

import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.operator.Operators;
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

  /** The same, with the key of every entry. */
  public StreamSource withKeys() {
    return projection == Projection.VALUES
        ? new StreamSource(cache, format, Projection.ENTRIES, clusterIdentity, operators)
        : this;
  }
}
