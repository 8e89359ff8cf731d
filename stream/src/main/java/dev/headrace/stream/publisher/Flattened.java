package dev.headrace.stream.publisher;

import dev.headrace.stream.pull.Pulled;
import java.lang.ref.Cleaner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of entries one after the other, of a stream that has those of each entry together.
 * That stream is asked for anything only when all results of its last entry were handed over: its
 * tokens, the ends of its segments and its own end come behind them. So a resume token stands
 * between entries.
 *
 * @param <R> a result
 */
public final class Flattened<R> implements Pulled<R> {
  private final Pulled<List<R>> entries;
  private List<R> results = List.of();
  private int next;

  /**
   * @param entries the results of each entry, at least one
   */
  public Flattened(Pulled<List<R>> entries) {
    this.entries = entries;
  }

  private boolean someLeft() {
    return next < results.size();
  }

  @Override
  public void pulledBy(Runnable other) {
    entries.pulledBy(other);
  }

  @Override
  public Cleaner.Cleanable closeWith(Object user) {
    return entries.closeWith(user);
  }

  @Override
  public Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
    return entries.keptWith(end);
  }

  @Override
  public void plan() {
    entries.plan();
  }

  @Override
  public boolean hasDecodable() {
    return someLeft() || entries.hasDecodable();
  }

  @Override
  public boolean isReady() {
    if (someLeft()) {
      return true;
    }
    entries.endIfOverdue(); // It was not asked while results were left.
    return entries.isReady();
  }

  @Override
  public @Nullable R take() {
    if (!someLeft()) {
      List<R> ofEntry = entries.take();
      if (ofEntry == null) {
        return null;
      }
      results = ofEntry;
      next = 0;
    }
    return results.get(next++);
  }

  @Override
  public void recheck() {
    entries.recheck();
  }

  @Override
  public boolean isEnded() {
    return !someLeft() && entries.isEnded();
  }

  @Override
  public @Nullable Throwable failure() {
    return entries.failure();
  }

  @Override
  public void close() {
    entries.close();
  }

  @Override
  public void giveBackUnread() {
    entries.giveBackUnread();
  }

  @Override
  public void endIfOverdue() {
    if (!someLeft()) {
      entries.endIfOverdue();
    }
  }
}
