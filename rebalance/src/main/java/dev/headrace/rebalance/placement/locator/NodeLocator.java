package dev.headrace.rebalance.placement.locator;

import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.hash.KeyHasher;
import java.util.List;

/**
 * Says which node a key belongs to, and which nodes come next.
 *
 * <p>Every node gets keys in proportion to its weight, as exactly as the locator's kind can, and
 * few keys change hands when a node comes or goes: best only those that it gets or had. Immutable;
 * safe for any thread.
 */
public interface NodeLocator {
  /** The nodes; look-ups answer with places in this list. */
  List<LocatorNode> nodes();

  /** The hash of keys that this locator's look-ups take. */
  KeyHasher hasher();

  /**
   * The node of a key.
   *
   * @param hash the key's hash, by {@link #hasher}
   * @return the node's place
   */
  int locate(long hash);

  /**
   * The nodes of a key in the order of preference, the first as {@link #locate(long)} says, none
   * twice: the primary and its backups.
   *
   * @param hash the key's hash, by {@link #hasher}
   * @param owners takes the nodes' places, as many as fit and as there are
   * @return how many nodes were put into {@code owners}
   */
  int locate(long hash, int[] owners);

  /**
   * A locator with one node more, which has the last place.
   *
   * @throws LocatorException if a node of this name is there already
   */
  NodeLocator with(LocatorNode joined);

  /**
   * A locator with one node less, whichever it is; those behind it come forward by a place.
   *
   * @throws LocatorException if there is no node of this name, or no other
   */
  NodeLocator without(String name);

  /**
   * The node of a text key.
   *
   * @throws LocatorException if the key is null
   */
  default int locate(CharSequence key) {
    return locate(hasher().hash(key));
  }

  /**
   * The node of a key of bytes.
   *
   * @throws LocatorException if the key is null
   */
  default int locate(byte[] key, int offset, int length) {
    return locate(hasher().hash(key, offset, length));
  }

  /**
   * How much memory the look-up structure takes.
   *
   * @return bytes of the arrays and objects that look-ups read, objects' headers left aside
   */
  long lookUpBytes();
}
