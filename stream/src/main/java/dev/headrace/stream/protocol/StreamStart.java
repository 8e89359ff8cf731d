package dev.headrace.stream.protocol;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.stream.Ownership.View;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.token.Remainder;
import dev.headrace.stream.token.ResumeToken;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Finds what a stream has to read: the chosen segments, or what a resume token says. */
final class StreamStart {

  private final StreamOptions options;
  private final StreamSource source;
  private final View view;
  private final Progress progress;

  private StreamStart(StreamOptions options, StreamSource source, View view) {
    this.options = options;
    this.source = source;
    this.view = view;
    this.progress = new Progress(view.segments());
  }

  /**
   * Returns the progress of a stream that has not begun.
   *
   * @param begun whether the stream is a part of one that has begun, which notices itself what was
   *     lost since then
   * @throws ResumeTokenException if the stream's resume token is foreign or outdated
   */
  static Progress of(StreamOptions options, StreamSource source, View view, boolean begun) {
    StreamStart start = new StreamStart(options, source, view);
    ResumeToken token = options.token();
    if (token != null) {
      start.resume(token, begun);
    } else if (!start.isEmptyCluster()) {
      start.begin();
    }
    return start.progress;
  }

  private void begin() {
    BitSet chosen = chosen(options.segments());
    for (int s = chosen.nextSetBit(0); s >= 0; s = chosen.nextSetBit(s + 1)) {
      progress.add(s, view.incarnation(s), Cursor.START);
    }
  }

  private void resume(ResumeToken token, boolean begun) {
    checkOrigin(token);
    checkKeys(token);
    checkOperators(token);
    for (ResumeToken.UnreadKey key : options.unread()) {
      checkAge(key.segment(), key.incarnation());
    }
    BitSet chosen = chosen(null);
    KeySelection keys = options.keys();
    Remainder remaining = token.remaining();
    chosen.and(remaining.open());
    for (int s = chosen.nextSetBit(0); s >= 0; s = chosen.nextSetBit(s + 1)) {
      Cursor cursor = remaining.cursor(s);
      if (keys == null || keys.behind(s, cursor).length > 0) {
        if (!begun) {
          checkAge(s, remaining.incarnation(s));
        }
        progress.add(s, remaining.incarnation(s), cursor);
      } else {
        progress.addUntold(s, remaining.incarnation(s), cursor);
      }
    }
  }

  private BitSet chosen(@Nullable BitSet only) {
    BitSet chosen = new BitSet();
    chosen.set(0, view.segments());
    KeySelection keys = options.keys();
    if (keys != null) {
      chosen.and(keys.segments());
    }
    if (only != null) {
      chosen.and(only);
    }
    return chosen;
  }

  private void checkOrigin(ResumeToken token) {
    if (token.clusterIdentity() != source.clusterIdentity()
        || token.segments() != view.segments()) {
      throw new ResumeTokenException(
          "The resume token belongs to another cluster: use it there, or begin the stream anew",
          FaultScope.ofCache(source.cache()));
    }
    if (!token.cache().equals(source.cache())) {
      throw new ResumeTokenException(
          "The resume token belongs to the cache \""
              + token.cache()
              + "\", not to \""
              + source.cache()
              + "\": use it there, or begin the stream anew",
          FaultScope.ofCache(source.cache()));
    }
  }

  private void checkKeys(ResumeToken token) {
    KeySelection chosen = options.keys();
    if (token.keys() != ResumeToken.ALL_KEYS
        && (chosen == null || chosen.fingerprint() != token.keys())) {
      throw new ResumeTokenException(
          "The resume token belongs to a stream of chosen keys: resume it with the same keys, or"
              + " begin the stream anew",
          FaultScope.ofCache(source.cache()));
    }
  }

  private void checkOperators(ResumeToken token) {
    if (token.operators() != source.operatorsDigest()) {
      throw new ResumeTokenException(
          "The resume token belongs to a stream with other filters, selections or functions (or"
              + " arguments of these): resume it with the same ones in the same order, or begin the"
              + " stream anew",
          FaultScope.ofCache(source.cache()));
    }
  }

  private void checkAge(int segment, int expected) {
    int incarnation = view.incarnation(segment);
    if (incarnation != expected && options.delivery() == Delivery.EXACTLY_ONCE) {
      throw new ResumeTokenException(
          "The resume token has outlived its data: segment "
              + segment
              + " was lost with all its owners since (incarnation "
              + incarnation
              + ", the token has "
              + expected
              + "). Begin the stream anew, or resume with AT_MOST_ONCE to skip the segment",
          FaultScope.ofSegment(source.cache(), segment));
    }
  }

  /** Whether there is nobody to ask, and nothing to ask for. */
  private boolean isEmptyCluster() {
    if (view.written()) {
      return false;
    }
    for (int s = 0; s < view.segments(); s++) {
      if (view.ownerCount(s) > 0) {
        return false;
      }
    }
    return true;
  }
}
