package dev.headrace.stream.pull;

import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/** Pulls, and counts what came for the flight recorder. Belongs to the drain. */
final class RecordedPull<T> implements Pulled<T> {
  private final Pulled<T> pulled;
  private final StreamFlight flight;

  RecordedPull(Pulled<T> pulled, StreamFlight flight) {
    this.pulled = pulled;
    this.flight = flight;
  }

  @Override
  public void pulledBy(Runnable other) {
    pulled.pulledBy(other);
  }

  @Override
  public Cleaner.Cleanable closeWith(Object user) {
    return pulled.closeWith(user);
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
      flight.end(pulled);
    }
    return ready;
  }

  @Override
  public @Nullable T take() {
    T next = pulled.take();
    flight.elements += next == null ? 0 : 1;
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
    flight.end(pulled);
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
