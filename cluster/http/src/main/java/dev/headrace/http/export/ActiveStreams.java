package dev.headrace.http.export;

import dev.headrace.http.exchange.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The streams that a port serves now. Thread-safe. */
public final class ActiveStreams {
  private final int most;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Long, StreamFigures> active = new ConcurrentHashMap<>();

  /**
   * No streams yet.
   *
   * @param most at a time
   */
  public ActiveStreams(int most) {
    this.most = most;
  }

  /**
   * Makes room for one more, until {@link #leave}.
   *
   * @throws ProblemException 503 if there are too many
   */
  public void enter() {
    if (count.incrementAndGet() > most) {
      count.decrementAndGet();
      throw new ProblemException(
              503, "The node serves " + most + " streams; try again when one has ended")
          .with("retry-after", "1");
    }
  }

  /** One has ended. */
  public void leave() {
    count.decrementAndGet();
  }

  /** How many there are. */
  public int count() {
    return count.get();
  }

  /** Shows the figures of a stream. */
  StreamFigures show(String cache, int segments) {
    StreamFigures figures = new StreamFigures(numbers.incrementAndGet(), cache, segments);
    active.put(figures.number(), figures);
    return figures;
  }

  /** Shows them no longer. */
  void hide(StreamFigures figures) {
    active.remove(figures.number());
  }

  /** The streams that run now, the oldest first. */
  public List<StreamFigures> all() {
    List<StreamFigures> all = new ArrayList<>(active.values());
    all.sort((one, other) -> Long.compare(one.number(), other.number()));
    return all;
  }
}
