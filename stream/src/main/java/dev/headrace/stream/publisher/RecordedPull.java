package dev.headrace.stream.publisher;

import dev.headrace.stream.pull.PullEngine;
import dev.headrace.stream.pull.Pulled;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/** Pulls, counts what came, and tells somebody of the end, once. Belongs to the drain. */
final class RecordedPull<T> implements Pulled<T> {
  private final Pulled<T> pulled;
  private final Ending ending;
  private long elements;
  private boolean told;

  /** Somebody who wants to know how a stream ends. */
  interface Ending {
    /**
     * The stream has ended.
     *
     * @param complete whether it was read to its end
     * @param failure why it failed, or null
     */
    void ended(long elements, boolean complete, @Nullable Throwable failure);
  }

  RecordedPull(Pulled<T> pulled, Ending ending) {
    this.pulled = pulled;
    this.ending = ending;
  }

  private void end() {
    if (!told) {
      told = true;
      Throwable failure = pulled.failure();
      ending.ended(elements, failure == null && pulled.isEnded(), failure);
    }
  }

  @Override
  public void pulledBy(Runnable other) {
    pulled.pulledBy(other);
  }

  @Override
  public Cleaner.Cleanable closeWith(Object user) {
    return keptWith(PullEngine.CLEANER.register(user, this::close));
  }

  @Override
  public Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
    return pulled.keptWith(end);
  }

  @Override
  public void plan() {
    pulled.plan();
  }

  @Override
  public boolean hasDecodable() {
    return pulled.hasDecodable();
  }

  @Override
  public boolean isReady() {
    boolean ready = pulled.isReady();
    if (!ready && pulled.isEnded()) {
      end();
    }
    return ready;
  }

  @Override
  public @Nullable T take() {
    T next = pulled.take();
    elements += next == null ? 0 : 1;
    return next;
  }

  @Override
  public void recheck() {
    pulled.recheck();
  }

  @Override
  public boolean isEnded() {
    return pulled.isEnded();
  }

  @Override
  public @Nullable Throwable failure() {
    return pulled.failure();
  }

  @Override
  public void close() {
    end();
    pulled.close();
  }

  @Override
  public void giveBackUnread() {
    pulled.giveBackUnread();
  }

  @Override
  public void endIfOverdue() {
    pulled.endIfOverdue();
  }
}
