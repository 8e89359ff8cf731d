package dev.headrace.stream.pull;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.KeySelection;
import dev.headrace.stream.protocol.ReadyBatch;
import dev.headrace.stream.protocol.StreamMachine;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.protocol.StreamOptions;
import dev.headrace.stream.pull.Place.ExpiredKeys;
import dev.headrace.stream.pull.Place.LookupPlace;
import dev.headrace.stream.token.ResumeToken;
import dev.headrace.stream.token.ResumeToken.UnreadKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of entries that expired before they were handed over, and the engine that reads them
 * again: they may have been put anew before they expired. Belongs to the drain.
 *
 * @param engine reads just these keys
 * @param keys these keys
 * @param batch the batch of these keys. Its bytes have been released but its credit has not: the
 *     engine uses as much. Null if the keys come from a resume token; nothing else is under way
 *     then.
 * @param completing the segments that are complete once the keys have been read
 */
record ExpiredLookup(
    PullEngine<Object> engine,
    KeySelection keys,
    @Nullable ReadyBatch batch,
    List<Integer> completing) {

  /** Makes an engine for a part of a stream. */
  interface Engines {
    PullEngine<Object> engine(StreamEnvironment environment, StreamOptions options);
  }

  /** Reads the expired keys of a batch again. */
  static ExpiredLookup of(
      OpenBatch open,
      StreamMachine machine,
      StreamEnvironment environment,
      StreamOptions options,
      Engines engines) {
    ReadyBatch batch = open.batch();
    HashSpace space = environment.hashSpace();
    List<UnreadKey> keys = new ArrayList<>();
    for (byte[] key : ExpiredKeys.list(open.expired())) {
      int segment = space.segment(space.hash(key));
      keys.add(new UnreadKey(segment, machine.incarnation(segment), key));
    }
    int bytes = Math.max(1, Math.min(options.batchBytes(), batch.bytes()));
    KeySelection selection = selection(keys, space);
    StreamOptions lookup = lookup(machine.token(keys), selection, options, batch.entries(), bytes);
    StreamEnvironment around = environment.with(new StreamMemory(bytes, bytes));
    PullEngine<Object> engine = engines.engine(around, lookup);
    return new ExpiredLookup(engine, selection, batch, open.completing());
  }

  /** Reads the keys that a resume token names as unread, before the stream continues. */
  static ExpiredLookup of(
      ResumeToken from,
      StreamMachine machine,
      StreamEnvironment environment,
      StreamOptions options,
      Engines engines) {
    KeySelection selection = selection(from.unread(), environment.hashSpace());
    StreamOptions lookup =
        lookup(from, selection, options, options.batchSize(), options.batchBytes());
    List<Integer> completing =
        from.unread().stream()
            .map(UnreadKey::segment)
            .distinct()
            .filter(machine::isConsumed)
            .toList();
    PullEngine<Object> engine = engines.engine(environment, lookup);
    return new ExpiredLookup(engine, selection, null, completing);
  }

  private static KeySelection selection(List<UnreadKey> keys, HashSpace space) {
    return KeySelection.ofEncoded(keys.stream().map(UnreadKey::key).toList(), space);
  }

  private static StreamOptions lookup(
      ResumeToken from, KeySelection keys, StreamOptions options, int entries, int bytes) {
    return options.lookup(keys, from.ofUnread(keys.fingerprint()), entries, bytes);
  }

  /** How far the look-up has come. */
  LookupPlace place() {
    engine.plan(); // Before it is planned it seems to have nothing to do.
    return new LookupPlace(engine.place(), keys);
  }

  /**
   * The error that ends the stream if the keys cannot be read. If the rest can be read another
   * time, what was handed over of the batch counts as consumed, and the token names the keys,
   * unless they are too large for it.
   *
   * @param cause why the engine has failed
   * @param completed accepts the segments that are complete nevertheless
   */
  Throwable failure(
      Throwable cause,
      StreamMachine machine,
      Supplier<String> tokenBeforeBatch,
      IntConsumer completed) {
    if (cause instanceof StreamInterruptedException interruption) {
      Rest rest = rest(interruption, machine, tokenBeforeBatch, completed);
      return new StreamInterruptedException(rest.why, scope(interruption), rest.token, cause);
    } else if (cause instanceof FunctionFailedException failed) {
      Rest rest = rest(failed, machine, tokenBeforeBatch, completed);
      return new FunctionFailedException(rest.why, scope(failed), failed.call(), rest.token);
    }
    return cause;
  }

  private static FaultScope scope(HeadraceException cause) {
    return new FaultScope(cause.cache(), cause.segments(), cause.missingNodes());
  }

  /** What an error says of the stream's rest. */
  private record Rest(String why, String token) {}

  private Rest rest(
      HeadraceException cause,
      StreamMachine machine,
      Supplier<String> tokenBeforeBatch,
      IntConsumer completed) {
    List<UnreadKey> unread = engine.unread();
    String why =
        "Entries that had expired in the consumer's buffer could not be read again ("
            + cause.getMessage();
    if (!ResumeToken.hasRoomFor(unread)) {
      why +=
          "), and their keys are too large for a token: resumeToken() stands before their batch,"
              + " other entries of which were handed over. Set smaller batches";
      return new Rest(why, tokenBeforeBatch.get());
    }
    if (batch != null) {
      machine.consumed(batch);
    }
    tellCompleted(unread, completed);
    why += "); the stream goes on with them from resumeToken()";
    return new Rest(why, machine.token(unread).encode());
  }

  private void tellCompleted(List<UnreadKey> unread, IntConsumer completed) {
    BitSet open = new BitSet();
    unread.forEach(key -> open.set(key.segment()));
    for (int segment : completing) {
      if (!open.get(segment)) {
        completed.accept(segment);
      }
    }
  }
}
