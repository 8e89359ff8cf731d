package dev.headrace.benchmarks.pull;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.pull.StreamEnvironment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A stream of two entries that come in one batch, when a racing thread brings it. */
final class RacedStream implements Subscriber<String> {

  private static final HashSpace SPACE = new HashSpace(1, 42);
  private static final NodeId SELF = new NodeId(0, 1);

  private final AtomicInteger releases = new AtomicInteger();
  private volatile @Nullable ReadHandler handler;
  private volatile @Nullable Subscription subscription;
  private int entries; // Written by the drain, read when all is over.
  private int ends;

  StreamPublisher<String> publisher() {
    StreamEnvironment environment =
        new StreamEnvironment(
            new OneOwner(),
            this::asked,
            new NoAlarms(),
            Runnable::run,
            SPACE,
            7,
            id -> "node",
            () -> 0,
            new StreamMemory(StreamMemory.MIN_BUDGET_BYTES));
    return StreamPlan.over(
            environment, new CacheSettings<>("raced", Codecs.string(), Codecs.string()), 0)
        .keys();
  }

  private void asked(NodeId node, ReadRequest request, ReadHandler answerTo) {
    handler = answerTo;
  }

  /** Whether the stream has asked its node. */
  boolean isAsked() {
    return handler != null;
  }

  /** Brings the only batch. */
  void answer() {
    ByteBuffer out = ByteBuffer.allocate(64);
    EntryLayout.append(out, new byte[] {'a'}, new byte[0], 1, 1, 0);
    EntryLayout.append(out, new byte[] {'b'}, new byte[0], 1, 2, 0);
    SegmentPart part = new SegmentPart(0, 2, SegmentPart.Status.DONE, Cursor.START);
    ReadHandler waiting = handler;
    if (waiting != null) {
      waiting.received(new Batch(0, out.flip(), List.of(part), 0, releases::incrementAndGet));
    }
  }

  void request(long demand) {
    Subscription present = subscription;
    if (present != null) {
      present.request(demand);
    }
  }

  void cancel() {
    Subscription present = subscription;
    if (present != null) {
      present.cancel();
    }
  }

  int entries() {
    return entries;
  }

  int ends() {
    return ends;
  }

  int releases() {
    return releases.get();
  }

  @Override
  public void onSubscribe(Subscription offered) {
    subscription = offered;
  }

  @Override
  public void onNext(String next) {
    entries++;
  }

  @Override
  public void onError(Throwable failure) {
    ends += 100;
  }

  @Override
  public void onComplete() {
    ends++;
  }

  /** One segment, owned by this node. */
  private static final class OneOwner implements Ownership, Ownership.View {
    @Override
    public NodeId self() {
      return SELF;
    }

    @Override
    public View view() {
      return this;
    }

    @Override
    public Timer.Cancellable awaitNewerThan(long epoch, Runnable task) {
      return () -> {}; // There is no other.
    }

    @Override
    public long epoch() {
      return 0;
    }

    @Override
    public int segments() {
      return 1;
    }

    @Override
    public boolean written() {
      return true;
    }

    @Override
    public int ownerCount(int segment) {
      return 1;
    }

    @Override
    public NodeId owner(int segment, int index) {
      return SELF;
    }

    @Override
    public int incarnation(int segment) {
      return 0;
    }
  }

  /** Nothing but the answer may wake the stream. */
  private static final class NoAlarms implements Timer {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
      return () -> {};
    }
  }
}
