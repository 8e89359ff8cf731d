package dev.headrace.stream.batch;

/**
 * Receives the answer to one request. Exactly one of its methods is called, once, on any thread,
 * possibly during {@link ReadPort#read}. An implementation only enqueues and returns; no user code
 * runs in it.
 */
public interface ReadHandler {

  /** The answer has come. The handler owns the batch from now on. */
  void received(Batch batch);

  /** No answer will come, for example because the connection broke. */
  void failed(Throwable cause);
}
