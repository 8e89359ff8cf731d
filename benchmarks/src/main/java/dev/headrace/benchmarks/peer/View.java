package dev.headrace.benchmarks.peer;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cache as one member of the cluster sees it. Thread safe. */
public interface View {

  /**
   * A walk over the whole content.
   *
   * @param entries yields every entry, decoded
   * @param release frees what the walk holds; to be called once, wherever the walk stands
   */
  record Walk(Iterator<? extends Map.Entry<String, byte[]>> entries, Runnable release) {}

  /**
   * Opens a walk.
   *
   * @param mode one of the modes of this system
   * @param batchEntries batch size in entries, or 0 for the system's default
   */
  Walk walk(Mode mode, int batchEntries);

  /** Reads one value; null if the key is absent. */
  byte @Nullable [] get(String key);

  /** Writes one value without asking for the old one; returns when every owner has it. */
  void put(String key, byte[] value);
}
