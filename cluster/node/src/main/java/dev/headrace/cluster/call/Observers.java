package dev.headrace.cluster.call;

import dev.headrace.api.Registration;
import dev.headrace.stream.pull.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those who observe what a node does for its callers. What one of them throws keeps no operation
 * and no stream from its end. A node that nobody observes has nobody to tell. Thread-safe.
 */
public final class Observers {
  private static final Logger LOG = LoggerFactory.getLogger(Observers.class);

  private final List<CallObserver> ofCalls = new CopyOnWriteArrayList<>();
  private final List<StreamObserver> ofStreams = new CopyOnWriteArrayList<>();
  private final Runnable changed;

  /**
   * @param changed installs {@link #calls} and {@link #streams}, one of which has changed
   */
  public Observers(Runnable changed) {
    this.changed = changed;
  }

  public Registration add(CallObserver observer) {
    return add(ofCalls, observer);
  }

  public Registration add(StreamObserver observer) {
    return add(ofStreams, observer);
  }

  private <T> Registration add(List<T> list, T observer) {
    list.add(observer);
    changed.run();
    return () -> {
      list.remove(observer);
      changed.run();
    };
  }

  /** Tells all who observe operations; null if nobody does. */
  public @Nullable CallObserver calls() {
    return ofCalls.isEmpty() ? null : new AllOfCalls();
  }

  /** Tells all who observe streams; null if nobody does. */
  public @Nullable StreamObserver streams() {
    return ofStreams.isEmpty() ? null : this::begun;
  }

  private StreamObserver.Stream begun(String cache) {
    List<StreamObserver.Stream> all = new ArrayList<>(1);
    ofStreams.forEach(each -> tell(each, one -> all.add(one.begun(cache))));
    return new StreamOfAll(all);
  }

  private static <T> void tell(T observer, Consumer<T> event) {
    try {
      event.accept(observer);
    } catch (RuntimeException | Error e) { // of user code
      LOG.warn("An observer of the node's work failed; it will be told of more", e);
    }
  }

  private final class AllOfCalls implements CallObserver {
    @Override
    public void readHere() {
      ofCalls.forEach(each -> tell(each, CallObserver::readHere));
    }

    @Override
    public void ended(String operation, long nanos, boolean failed) {
      ofCalls.forEach(each -> tell(each, one -> one.ended(operation, nanos, failed)));
    }
  }

  private record StreamOfAll(List<StreamObserver.Stream> all) implements StreamObserver.Stream {
    @Override
    public StreamObserver.Batch asked(String node) {
      List<StreamObserver.Batch> batches = new ArrayList<>(1);
      all.forEach(each -> tell(each, one -> batches.add(one.asked(node))));
      return new BatchOfAll(batches);
    }

    @Override
    public void ended(long elements, boolean complete, @Nullable Throwable failure) {
      all.forEach(each -> tell(each, one -> one.ended(elements, complete, failure)));
    }
  }

  private record BatchOfAll(List<StreamObserver.Batch> all) implements StreamObserver.Batch {
    @Override
    public void received(int entries, long bytes) {
      all.forEach(each -> tell(each, one -> one.received(entries, bytes)));
    }

    @Override
    public void failed(Throwable cause) {
      all.forEach(each -> tell(each, one -> one.failed(cause)));
    }
  }
}
