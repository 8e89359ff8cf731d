package dev.headrace.stream.pull;

import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code StreamSubscription} or a {@code StreamIterator} pulls: {@link #isReady}, then
 * {@link #take}. Everything belongs to the drain: one thread at a time, each seeing what the last
 * one did. When nothing is ready, some thread runs the drain's signal as soon as that may have
 * changed.
 *
 * @param <T> what is taken
 */
public interface Pulled<T> {

  /** Signals another consumer from now on. */
  void pulledBy(Runnable other);

  /**
   * Closes this when its user is garbage, or when the returned object is cleaned. The user keeps
   * that object, and with it the listener, which is called no more when the object is garbage.
   */
  Cleaner.Cleanable closeWith(Object user);

  /** See {@link UserListener#keptWith}; without a listener it returns what it is given. */
  Cleaner.Cleanable keptWith(Cleaner.Cleanable end);

  /** Plans the stream without asking anybody. An impossible stream ends at once. */
  void plan();

  /** Whether {@link #take} would return an element without advancing the stream. */
  boolean hasDecodable();

  /** Whether {@link #take} would return an element. If not, the stream has ended or must wait. */
  boolean isReady();

  /**
   * The next element. Only after {@link #isReady} returned true.
   *
   * @return null if it cannot be decoded; the stream has then ended with an error
   */
  @Nullable T take();

  /** Much time may have passed since {@link #isReady} returned true: asks it again. */
  void recheck();

  /** Whether the stream has ended. */
  boolean isEnded();

  /** Why the stream failed, or null. Set when it has ended. */
  @Nullable Throwable failure();

  /** Ends the stream and releases everything. Idempotent. */
  void close();

  /**
   * Releases what was received and not handed over, if nobody has pulled for {@link
   * dev.headrace.stream.protocol.StreamMemory#PAUSED_NANOS}; it is read again when somebody does.
   * For any thread; never blocks. What holds nothing does nothing.
   */
  default void giveBackUnread() {}

  /** Ends it with an error if its time is up. What has no deadline does nothing. */
  default void endIfOverdue() {}
}
