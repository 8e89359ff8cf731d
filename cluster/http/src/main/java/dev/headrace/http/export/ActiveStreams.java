package dev.headrace.http.export;

import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

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

  /**
   * Makes room for one more, and shows its figures.
   *
   * @param cache the name of the cache that it reads
   * @param segments how many segments it reads
   * @param reply makes the reply, which leaves the place when it has ended; if there is none, since
   *     it throws, the place is free again
   * @throws ProblemException 503 if there are too many
   */
  public HttpReply serve(String cache, int segments, Function<Place, HttpReply> reply) {
    enter();
    StreamFigures figures = new StreamFigures(numbers.incrementAndGet(), cache, segments);
    active.put(figures.number(), figures);
    Place place = new Place(figures);
    try {
      return reply.apply(place);
    } catch (RuntimeException | Error e) { // no memory outside the heap for a compressor, perhaps
      place.leave();
      throw e;
    }
  }

  /** The place of one stream. Thread-safe. */
  public final class Place {
    private final StreamFigures figures;
    private final AtomicBoolean left = new AtomicBoolean();

    private Place(StreamFigures figures) {
      this.figures = figures;
    }

    /** How far the stream is, as others see it. */
    public StreamFigures figures() {
      return figures;
    }

    /** The stream has ended; from the second call on this does nothing. */
    public void leave() {
      if (left.compareAndSet(false, true)) {
        active.remove(figures.number());
        ActiveStreams.this.leave();
      }
    }
  }

  /** How many there are. */
  public int count() {
    return count.get();
  }

  /** The streams that run now, the oldest first. */
  public List<StreamFigures> all() {
    List<StreamFigures> all = new ArrayList<>(active.values());
    all.sort((one, other) -> Long.compare(one.number(), other.number()));
    return all;
  }
}
