package dev.headrace.api.placement;

import dev.headrace.api.error.PlacementException;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The built-in ways to fill a segment table.
 *
 * <p>Only {@link #LEVELLED_RENDEZVOUS} gives every node exactly its share, and moves as little as
 * this allows. All others place by the locator of their name: what each node gets is as even as
 * that locator makes it, or as its bound says.
 */
public enum PlacementKind {

  /**
   * Weighted rendezvous hashing, levelled; in a cluster that holds data, as few copies as level
   * shares need. The default.
   */
  LEVELLED_RENDEZVOUS("levelled-rendezvous"),

  /** Memcached's ring: MD5 points of the nodes' names. */
  KETAMA_MD5("ketama-md5"),

  /** The same ring of MurmurHash3 points. */
  KETAMA_MURMUR3("ketama-murmur3"),

  /** The same ring of XXH3 points. */
  KETAMA_XXH3("ketama-xxh3"),

  /** A ring of FNV-1a points; uneven, to compare with. */
  SIMPLE_FNV1A("simple-fnv1a"),

  /** Jump hashing over the nodes in the order in which they joined. */
  JUMP("jump"),

  /** JumpBackHash over the nodes in the order in which they joined. */
  JUMP_BACK("jump-back"),

  /** JumpBackAnchorHash over the nodes in the order in which they joined. */
  JUMP_BACK_ANCHOR("jump-back-anchor"),

  /** Maglev hashing. */
  MAGLEV("maglev"),

  /** Weighted rendezvous hashing as it is, not levelled. */
  RENDEZVOUS("rendezvous");

  private final String label;

  PlacementKind(String label) {
    this.label = label;
  }

  /**
   * The kind of a name.
   *
   * @param name as {@link #toString} tells it
   * @throws PlacementException if there is none; the message lists all
   */
  public static PlacementKind named(String name) {
    return Arrays.stream(values())
        .filter(kind -> kind.label.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new PlacementException(
                    "There is no placement \"" + name + "\"; take one of " + names()));
  }

  static boolean isNamed(String name) {
    return Arrays.stream(values()).anyMatch(kind -> kind.label.equals(name));
  }

  private static String names() {
    return Arrays.stream(values()).map(PlacementKind::toString).collect(Collectors.joining(", "))
        + ", or give a rule of your own with SegmentPlacement.custom";
  }

  /** The name by which people and nodes know it, such as {@code ketama-md5}. */
  @Override
  public String toString() {
    return label;
  }
}
