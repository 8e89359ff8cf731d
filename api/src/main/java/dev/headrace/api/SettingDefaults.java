package dev.headrace.api;

/** What settings are unless they are set, where that depends on the machine. Stateless. */
final class SettingDefaults {
  /** However many cores there are, a node has no more loops of a kind. */
  private static final int MAX_LOOPS = 16;

  private SettingDefaults() {}

  /** Event loops of a kind; the other half of the cores is for callers, streams and codecs. */
  static int loops() {
    return Math.max(1, Math.min(MAX_LOOPS, Runtime.getRuntime().availableProcessors() / 2));
  }

  static long streamMemoryBytes() {
    long quarter = Runtime.getRuntime().maxMemory() / 4;
    return Math.max(NodeSettings.MIN_STREAM_MEMORY_BYTES, quarter);
  }

  static long memoryBytes() {
    return Math.max(NodeSettings.MIN_MEMORY_BYTES, Runtime.getRuntime().maxMemory() / 2);
  }
}
