package dev.headrace.stream.batch;

/**
 * Takes the answer to one request. Exactly one of its methods is called, once, on any thread, also
 * during {@link ReadPort#read}. They only enqueue and return: no user code runs in them.
 */
public interface ReadHandler {

  /** The answer; the handler owns it from now on. */
  void received(Batch batch);

  /** There will be no answer, for example because the connection ended. */
  void failed(Throwable cause);
}
