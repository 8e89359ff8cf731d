package dev.headrace.cli.plan;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A node as it is written at the command line: {@code name[=capacity][@zone]}.
 *
 * @param name what it is called
 * @param capacity its weight, 1 if not given
 * @param zone its zone, empty if not given
 */
record NodeArgument(String name, double capacity, String zone) {

  /**
   * Reads a node.
   *
   * @throws IllegalArgumentException if the text is none; says what is wrong
   */
  static NodeArgument parse(String text) {
    int at = text.indexOf('@');
    String zone = at < 0 ? "" : text.substring(at + 1).strip();
    String rest = at < 0 ? text : text.substring(0, at);
    int equals = rest.indexOf('=');
    String name = (equals < 0 ? rest : rest.substring(0, equals)).strip();
    if (name.isEmpty() || (at >= 0 && zone.isEmpty())) {
      throw new IllegalArgumentException(
          "a node is written NAME[=CAPACITY][@ZONE], but one is \"" + text + "\"");
    }
    double capacity = equals < 0 ? 1 : capacity(name, rest.substring(equals + 1).strip());
    return new NodeArgument(name, capacity, zone);
  }

  /** The member, with an identity drawn from its name. */
  Member member() {
    return new Member(id(name), name, "localhost", 0, zone, capacity);
  }

  /** The identity of the node with that name. */
  static NodeId id(String name) {
    UUID uuid = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    return new NodeId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  private static double capacity(String name, String text) {
    double capacity;
    try {
      capacity = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "the capacity of " + name + " must be a number, but is \"" + text + "\"", e);
    }
    if (!(capacity >= 0 && Double.isFinite(capacity))) {
      throw new IllegalArgumentException(
          "the capacity of " + name + " must be 0 or more, but is " + text);
    }
    return capacity;
  }
}
