package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.cluster.node.simulation.SimulatedNode;
import dev.headrace.cluster.node.simulation.World;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Somebody who reads an iterator, as far as he is asked to. His thread is interrupted whenever he
 * looks, so that he never waits: the iterator says that nothing is there, and he comes again later.
 */
final class PulledOnce<T> implements Subscription {
  private static final int MOST_WAIT_NANOS = 4_000_000;

  private final World world;
  private final SimulatedNode node;
  private final CloseableIterator<T> iterator;
  private final Subscriber<T> reader;
  private final StreamBounds bounds;
  private long demand;
  private boolean over;
  private boolean pulling;

  private PulledOnce(
      World world,
      SimulatedNode node,
      CloseableIterator<T> iterator,
      Subscriber<T> reader,
      StreamBounds bounds) {
    this.world = world;
    this.node = node;
    this.iterator = iterator;
    this.reader = reader;
    this.bounds = bounds;
  }

  /** Begins to read. */
  static <T> void read(
      World world,
      SimulatedNode node,
      CloseableIterator<T> iterator,
      Subscriber<T> reader,
      StreamBounds bounds) {
    reader.onSubscribe(new PulledOnce<>(world, node, iterator, reader, bounds));
  }

  @Override
  public void request(long more) {
    demand += more;
    pull();
  }

  @Override
  public void cancel() {
    over = true;
    iterator.close();
  }

  private void pull() {
    if (pulling) {
      return;
    }
    pulling = true;
    try {
      world.runFor(bounds, this::pullAll);
    } finally {
      pulling = false;
    }
  }

  private void pullAll() {
    while (demand > 0 && !over) {
      if (!step()) {
        world.time.schedule(world.time.random.nextInt(MOST_WAIT_NANOS), () -> node.run(this::pull));
        return;
      }
    }
  }

  /** Reads one entry, or the end; false if neither is there yet. */
  private boolean step() {
    Runnable signal = look();
    if (signal == null) {
      return false;
    }
    signal.run();
    return true;
  }

  /** What there is to be told; null if there is nothing yet. */
  private @Nullable Runnable look() {
    Thread.currentThread().interrupt();
    try {
      if (iterator.hasNext()) {
        T next = iterator.next();
        demand--;
        return over ? () -> {} : () -> reader.onNext(next);
      }
      over = true;
      return reader::onComplete;
    } catch (HeadraceException e) {
      if (e.getClass() == HeadraceException.class) {
        return null; // He was interrupted, as he is whenever there is something to wait for.
      }
      over = true;
      return () -> reader.onError(e);
    } catch (IllegalStateException closed) {
      // By a listener, while he looked.
      return over ? () -> {} : () -> world.fail(closed);
    } finally {
      boolean interrupted = Thread.interrupted();
      world.check(interrupted, "an iterator waited");
    }
  }
}
