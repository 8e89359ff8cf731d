package dev.headrace.api;

/** Ends what it was returned for. Thread-safe. */
public interface Registration extends AutoCloseable {

  /** Ends it; a second call changes nothing. A call that is under way goes on to its end. */
  @Override
  void close();
}
