package dev.headrace.stream.pull;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A listener that a stream's user has given. What closes an abandoned stream refers to the stream,
 * which therefore must not refer to its user, not even by a listener that does. So it is the user
 * that keeps the listener, from when it is known.
 *
 * @param <L> the listener's type
 */
public final class UserListener<L> {
  private final WeakReference<@Nullable L> known;
  private @Nullable L kept;

  public UserListener(@Nullable L listener) {
    this.known = new WeakReference<>(listener);
    this.kept = listener;
  }

  /** The listener; null if there is none, or none any more because the stream is abandoned. */
  public @Nullable L get() {
    return known.get();
  }

  /** The listener exists as long as somebody keeps the returned object, and no longer. */
  public Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
    L listener = kept;
    kept = null;
    return listener == null ? end : new Kept(listener, end);
  }

  private record Kept(Object listener, Cleaner.Cleanable end) implements Cleaner.Cleanable {
    @Override
    public void clean() {
      end.clean();
    }
  }
}
