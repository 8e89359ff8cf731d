package dev.headrace.stream.change;

import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.stream.protocol.KeySelection;
import dev.headrace.stream.protocol.StreamOptions;
import java.util.BitSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a stream of changes. Immutable; nobody may change the set of segments.
 *
 * @param content whether the content comes first
 * @param previous whether the values before changes are told
 * @param latestOnly whether changes that a later one at hand has overtaken are left out
 * @param batchBytes the most bytes that are buffered or in flight
 * @param segments only these; null for all
 * @param keys only these; null for all
 * @param token where another stream was; null to begin anew
 * @param executor runs the drain
 */
record ChangeOptions(
    boolean content,
    boolean previous,
    boolean latestOnly,
    int batchBytes,
    @Nullable BitSet segments,
    @Nullable KeySelection keys,
    @Nullable ChangeToken token,
    Executor executor,
    @Nullable ChangeListener listener) {

  static ChangeOptions defaults(Executor executor) {
    return new ChangeOptions(
        false, false, false, ChangeStream.DEFAULT_BATCH_BYTES, null, null, null, executor, null);
  }

  /** The content that a stream of entries chooses, and its changes. */
  static ChangeOptions after(StreamOptions stream) {
    return new ChangeOptions(
        true,
        false,
        false,
        stream.batchBytes(),
        stream.segments(),
        stream.keys(),
        null,
        stream.executor(),
        null);
  }

  ChangeOptions withContent() {
    return new ChangeOptions(
        true, previous, latestOnly, batchBytes, segments, keys, token, executor, listener);
  }

  ChangeOptions withPrevious() {
    return new ChangeOptions(
        content, true, latestOnly, batchBytes, segments, keys, token, executor, listener);
  }

  ChangeOptions withLatestOnly() {
    return new ChangeOptions(
        content, previous, true, batchBytes, segments, keys, token, executor, listener);
  }

  ChangeOptions withBatchBytes(int bytes) {
    return new ChangeOptions(
        content, previous, latestOnly, bytes, segments, keys, token, executor, listener);
  }

  ChangeOptions withSegments(BitSet chosen) {
    return new ChangeOptions(
        content, previous, latestOnly, batchBytes, chosen, keys, token, executor, listener);
  }

  ChangeOptions withKeys(KeySelection chosen) {
    return new ChangeOptions(
        content, previous, latestOnly, batchBytes, segments, chosen, token, executor, listener);
  }

  ChangeOptions withToken(ChangeToken from) {
    return new ChangeOptions(
        content, previous, latestOnly, batchBytes, segments, keys, from, executor, listener);
  }

  ChangeOptions withExecutor(Executor where) {
    return new ChangeOptions(
        content, previous, latestOnly, batchBytes, segments, keys, token, where, listener);
  }

  ChangeOptions withListener(@Nullable ChangeListener watcher) {
    return new ChangeOptions(
        content, previous, latestOnly, batchBytes, segments, keys, token, executor, watcher);
  }
}
