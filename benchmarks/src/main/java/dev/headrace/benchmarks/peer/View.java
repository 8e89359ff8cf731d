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
   * @param settings with one of the ways of this system
   */
  Walk walk(WalkSettings settings);

  /** Reads one value; null if the key is absent. */
  byte @Nullable [] get(String key);

  /** Writes one value without asking for the old one; returns when every owner has it. */
  void put(String key, byte[] value);
}
