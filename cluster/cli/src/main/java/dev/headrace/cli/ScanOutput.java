package dev.headrace.cli;

import dev.headrace.api.stream.StreamListener;
import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Writes a stream's elements to a file. Text is held back until the stream could be resumed after
 * it, so that what is in the file and {@link #resumeToken()} always fit together.
 *
 * <p>Everything but {@link #stop} and {@link #ended} runs on, or after, the stream's executor.
 */
final class ScanOutput<T> implements Subscriber<T>, StreamListener {
  private final BiConsumer<T, StringBuilder> writer;
  private final ScanTarget target;
  private final CommandProgress progress;
  private final long total;
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
  private final StringBuilder held = new StringBuilder();
  private final List<Integer> skippedSegments = new ArrayList<>();
  private int heldEntries;
  private long writtenBytes;
  private @Nullable Subscription subscription;
  private @Nullable String resumeToken;

  /** Set by any thread. */
  private volatile boolean stopping;

  /**
   * @param writer turns an element into text
   * @param total about how many elements will come, 0 if that is not known
   */
  ScanOutput(
      BiConsumer<T, StringBuilder> writer,
      ScanTarget target,
      CommandProgress progress,
      long total) {
    this.writer = writer;
    this.target = target;
    this.progress = progress;
    this.total = total;
  }

  /** Ends with true after the last element, with false if it was stopped, or with an error. */
  CompletableFuture<Boolean> ended() {
    return ended;
  }

  /** Stops after the batch that is being written. Any thread may call it. */
  void stop() {
    stopping = true;
  }

  /** Stops at once; what was held back is dropped. */
  void abandon() {
    held.setLength(0);
    heldEntries = 0;
    end(false);
  }

  /** Where the file ends, or null if nothing was written yet. */
  @Nullable String resumeToken() {
    return resumeToken;
  }

  /** How much was written, up to where {@link #resumeToken()} or the end is. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** The segments that could not be read. */
  List<Integer> skippedSegments() {
    return skippedSegments;
  }

  @Override
  public void onSubscribe(Subscription newSubscription) {
    subscription = newSubscription;
    newSubscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T element) {
    if (ended.isDone()) {
      return;
    }
    int length = held.length();
    try {
      writer.accept(element, held);
      heldEntries++;
    } catch (IllegalArgumentException e) {
      held.setLength(length);
      fail(new CommandFailure(String.valueOf(e.getMessage()), e));
    } catch (RuntimeException | Error e) { // whoever waits must hear of it
      held.setLength(length);
      fail(e);
    }
  }

  /** What is held belongs to a batch behind the resume token, and would come again with it. */
  @Override
  public void onError(Throwable error) {
    held.setLength(0);
    heldEntries = 0;
    ended.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    if (write()) {
      ended.complete(true);
    }
  }

  @Override
  public void batchReceived(String node, int entries, long bytes) {
    progress.batch(node, entries, bytes);
  }

  @Override
  public void batchConsumed(Supplier<String> token) {
    if (ended.isDone() || !write()) {
      return;
    }
    resumeToken = token.get();
    if (stopping) {
      end(false);
      return;
    }
    try {
      target.reached(resumeToken, writtenBytes, System.nanoTime());
    } catch (IOException e) {
      fail(e);
    }
  }

  @Override
  public void segmentSkipped(int segment) {
    skippedSegments.add(segment);
  }

  /** Writes what was held back; returns whether that worked. */
  private boolean write() {
    byte[] bytes = held.toString().getBytes(StandardCharsets.UTF_8);
    held.setLength(0);
    try {
      target.write(bytes);
    } catch (IOException e) {
      fail(e);
      return false;
    }
    writtenBytes += bytes.length;
    progress.add(heldEntries, bytes.length);
    progress.advance(progress.entries(), total);
    heldEntries = 0;
    return true;
  }

  private void fail(Throwable e) {
    cancel();
    ended.completeExceptionally(e);
  }

  private void end(boolean complete) {
    cancel();
    ended.complete(complete);
  }

  private void cancel() {
    if (subscription != null) {
      subscription.cancel();
    }
  }
}
