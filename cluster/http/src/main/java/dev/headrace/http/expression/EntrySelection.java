package dev.headrace.http.expression;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of a cache a request wants.
 *
 * @param prefix what the text of a key begins with; empty for all
 * @param filter a condition; null for none
 * @param segments the segments; null for all
 */
public record EntrySelection(String prefix, @Nullable String filter, @Nullable BitSet segments) {

  /**
   * Reads the parameters {@code prefix}, {@code filter} and {@code segments}.
   *
   * @param segments how many the cluster has
   * @throws ProblemException 400 if one is damaged
   */
  public static EntrySelection of(QueryParameters query, int segments) {
    String prefix = query.value("prefix");
    return new EntrySelection(
        prefix == null ? "" : prefix, query.value("filter"), SegmentsParameter.of(query, segments));
  }

  /** Whether entries may have to be passed over to find those that are wanted. */
  public boolean isSelective() {
    return !prefix.isEmpty() || filter != null;
  }

  /** Whether the nodes that have the entries can tell by the key's bytes which are wanted. */
  public boolean isPrefixOnNodes(OpenCache cache) {
    return prefix.isEmpty() || cache.keys().format().equals("string");
  }

  /**
   * A stream of these entries; if the prefix cannot be told by bytes, regardless of it.
   *
   * @throws ProblemException 400 if the condition cannot be read or does not fit the cache
   */
  public CacheStream<byte[], byte[]> of(OpenCache cache, CacheStream<byte[], byte[]> all) {
    CacheStream<byte[], byte[]> wanted = all;
    if (segments != null) {
      wanted = wanted.segments(segments.stream().boxed().collect(Collectors.toSet()));
    }
    if (!prefix.isEmpty() && isPrefixOnNodes(cache)) {
      wanted = wanted.filter(Expressions.key().startsWith(prefix));
    }
    if (filter == null) {
      return wanted;
    }
    try {
      return wanted.filter(
          FilterText.condition(filter, cache.keys().format(), cache.values().format()));
    } catch (IllegalArgumentException e) {
      throw problem("filter", e);
    }
  }

  /**
   * Reads a parameter that lists parts of entries.
   *
   * @throws ProblemException 400 if it cannot be read or does not fit the cache
   */
  public static List<Operand> parts(String parameter, String text, OpenCache cache) {
    try {
      return FilterText.parts(text, cache.keys().format(), cache.values().format());
    } catch (IllegalArgumentException e) {
      throw problem(parameter, e);
    }
  }

  /** What is wrong with a parameter, with the position in it if that is known. */
  public static ProblemException problem(String parameter, IllegalArgumentException cause) {
    ProblemException problem =
        new ProblemException(400, "The parameter " + parameter + ": " + cause.getMessage(), cause)
            .member("parameter", parameter);
    return cause instanceof FilterSyntaxException syntax
        ? problem.member("position", syntax.position())
        : problem;
  }
}
