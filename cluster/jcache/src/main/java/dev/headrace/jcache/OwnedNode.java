package dev.headrace.jcache;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import javax.cache.CacheException;
import org.jspecify.annotations.Nullable;

/**
 * The node of a manager. One that is started for the manager starts when it is needed first, and
 * ends with the manager; one of the program stays.
 */
final class OwnedNode {
  private final NodeSettings settings;
  private final boolean owned;

  /** Null before it is needed. Guarded by this. */
  private @Nullable Headrace node;

  /** Guarded by this. */
  private boolean closed;

  private OwnedNode(NodeSettings settings, @Nullable Headrace node) {
    this.settings = settings;
    this.node = node;
    this.owned = node == null;
  }

  /** A node that is to be started. */
  static OwnedNode startedWith(NodeSettings settings) {
    return new OwnedNode(settings, null);
  }

  /** A node of the program. */
  static OwnedNode ofProgram(Headrace node) {
    return new OwnedNode(node.settings(), node);
  }

  NodeSettings settings() {
    return settings;
  }

  /**
   * The node, which is started if it has to be.
   *
   * @throws CacheException if it cannot be started
   * @throws IllegalStateException if the manager was closed
   */
  synchronized Headrace get() {
    if (closed) {
      throw new IllegalStateException(
          "The cache manager was closed: get another one of its provider");
    }
    Headrace present = node;
    if (present == null) {
      try {
        present = Headrace.start(settings);
      } catch (HeadraceException e) {
        throw new CacheException(
            "The node of the CacheManager has not started: " + e.getMessage(), e);
      }
      node = present;
    }
    return present;
  }

  synchronized void close() {
    closed = true;
    if (owned && node != null) {
      node.close();
    }
  }
}
