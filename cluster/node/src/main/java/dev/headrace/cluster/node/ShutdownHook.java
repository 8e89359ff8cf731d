package dev.headrace.cluster.node;

/**
 * Makes a node leave in order when its process is asked to end, for instance by SIGTERM. The
 * process ends when the node has left or has given up. Thread-safe.
 */
final class ShutdownHook {
  private final Thread thread;

  /**
   * A hook that is not registered yet.
   *
   * @param leave must end by itself within a bounded time
   */
  ShutdownHook(String nodeName, Runnable leave) {
    thread = new Thread(leave, "headrace-shutdown-" + nodeName);
  }

  /** From now on the end of the process waits for the node. */
  void register() {
    try {
      Runtime.getRuntime().addShutdownHook(thread);
    } catch (IllegalStateException e) {
      thread.start(); // the process is ending already
    }
  }

  /** Unregisters the hook: the node has ended, by itself or by the hook. */
  void forget() {
    if (Thread.currentThread() != thread) {
      try {
        Runtime.getRuntime().removeShutdownHook(thread);
      } catch (IllegalStateException e) {
        return; // the process is ending: the hook finds the node closed
      }
    }
  }
}
