package dev.headrace.api.error;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a fault is about, as far as that is known; what {@link HeadraceException} has as fields.
 *
 * @param cache the name of a cache, or null
 * @param segments numbers of segments, in order
 * @param missingNodes names of nodes whose absence or silence is the reason
 */
public record FaultScope(@Nullable String cache, List<Integer> segments, List<String> missingNodes)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Nothing is known, or there is nothing that it is about. */
  public static final FaultScope NONE = new FaultScope(null, List.of(), List.of());

  /** Copies the lists. */
  public FaultScope {
    segments = List.copyOf(segments);
    missingNodes = List.copyOf(missingNodes);
  }

  /** A cache as a whole. */
  public static FaultScope ofCache(String cache) {
    return new FaultScope(cache, List.of(), List.of());
  }

  /** A segment of a cache. */
  public static FaultScope ofSegment(String cache, int segment) {
    return new FaultScope(cache, List.of(segment), List.of());
  }

  /** Nodes that are missing. */
  public static FaultScope ofMissing(List<String> nodes) {
    return new FaultScope(null, List.of(), nodes);
  }

  /** The same, with nodes that are missing. */
  public FaultScope withMissing(List<String> nodes) {
    return new FaultScope(cache, segments, nodes);
  }
}
