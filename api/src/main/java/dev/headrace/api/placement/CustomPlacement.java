package dev.headrace.api.placement;

import dev.headrace.api.error.PlacementException;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A placement by a rule of a user's own.
 *
 * @param name tells the rule from others
 * @param rule places the segments
 */
public record CustomPlacement(String name, PlacementRule rule) implements SegmentPlacement {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /**
   * Checks the name.
   *
   * @throws PlacementException if it is that of a built-in placement, or not made of 1 to 64
   *     letters, digits, dots, hyphens and underscores
   */
  public CustomPlacement {
    Objects.requireNonNull(rule, "rule");
    if (!NAME.matcher(name).matches()) {
      throw new PlacementException(
          "A placement cannot be named \""
              + name
              + "\"; take 1 to 64 letters, digits, dots, hyphens and underscores");
    }
    if (PlacementKind.isNamed(name)) {
      throw new PlacementException(
          "The built-in placement \"" + name + "\" has this name; give yours another");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
