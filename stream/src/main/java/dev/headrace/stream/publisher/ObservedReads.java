package dev.headrace.stream.publisher;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.pull.StreamEnvironment;
import dev.headrace.stream.pull.StreamObserver;
import org.jspecify.annotations.Nullable;

/** The requests of one stream that somebody observes. Thread-safe. */
final class ObservedReads implements ReadPort, RecordedPull.Ending {
  private final StreamEnvironment environment;
  private final StreamObserver.Stream observed;

  ObservedReads(StreamEnvironment environment, StreamObserver.Stream observed) {
    this.environment = environment;
    this.observed = observed;
  }

  @Override
  public void read(NodeId node, ReadRequest request, ReadHandler handler) {
    StreamObserver.Batch batch = observed.asked(environment.nodeName().apply(node));
    Answer answer = new Answer(handler, batch);
    try {
      environment.port().read(node, request, answer);
    } catch (RuntimeException e) {
      answer.failed(e);
    }
  }

  @Override
  public void ended(long elements, boolean complete, @Nullable Throwable failure) {
    observed.ended(elements, complete, failure);
  }

  private record Answer(ReadHandler handler, StreamObserver.Batch batch) implements ReadHandler {
    @Override
    public void received(Batch answer) {
      batch.received(answer.entryCount(), answer.entries().remaining()); // while it is not released
      handler.received(answer);
    }

    @Override
    public void failed(Throwable cause) {
      batch.failed(cause);
      handler.failed(cause);
    }
  }
}
