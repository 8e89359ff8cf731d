package dev.headrace.rebalance.placement;

import dev.headrace.rebalance.table.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names by which placements know nodes.
 *
 * <p>A node's identity is drawn whenever it starts, and its address may come from a free port; its
 * name is what people choose and keep. A node that is started again under its name gets the places
 * that it had, and who needs the ring of a memcached client names nodes by address and port.
 */
public final class NodeNames {
  private static final int IDENTITY_DIGITS = 6;

  private NodeNames() {}

  /**
   * The nodes' names, none twice: of several nodes of one name all but the oldest are told apart by
   * the beginning of their identity.
   *
   * @param nodes in the order in which they joined
   */
  public static List<String> of(List<Member> nodes) {
    Set<String> taken = new HashSet<>();
    List<String> names = new ArrayList<>();
    for (Member node : nodes) {
      String identity = node.id().toString();
      String name = node.name();
      if (!taken.add(name)) {
        String longer = name + "~" + identity.substring(0, IDENTITY_DIGITS);
        name = taken.add(longer) ? longer : name + "~" + identity;
      }
      names.add(name);
    }
    return names;
  }
}
