package dev.headrace.http.cache;

import dev.headrace.api.stream.EntryVersion;
import dev.headrace.http.exchange.ProblemException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entity tags of a condition such as {@code If-Match}. Immutable.
 *
 * @param any whether it is a star, which any entry fulfils
 * @param versions the versions that it names; tags that are no versions are none of them
 */
record EntityTags(boolean any, List<EntryVersion> versions) {
  private static final int MAX_TAGS = 64;

  /**
   * Reads a header.
   *
   * @param weak whether weak tags count, too
   * @return null if the header is missing
   * @throws ProblemException 400 if it is damaged
   */
  static @Nullable EntityTags parse(@Nullable String header, boolean weak) {
    if (header == null) {
      return null;
    }
    if (header.strip().equals("*")) {
      return new EntityTags(true, List.of());
    }
    List<EntryVersion> versions = new ArrayList<>();
    String[] tags = header.split(",", -1);
    if (tags.length > MAX_TAGS) {
      throw new ProblemException(400, "A condition may have " + MAX_TAGS + " entity tags");
    }
    for (String tag : tags) {
      add(tag.strip(), weak, versions);
    }
    return new EntityTags(false, List.copyOf(versions));
  }

  private static void add(String tag, boolean weak, List<EntryVersion> versions) {
    boolean isWeak = tag.startsWith("W/");
    String quoted = isWeak ? tag.substring(2) : tag;
    if (quoted.length() < 2 || !quoted.startsWith("\"") || !quoted.endsWith("\"")) {
      throw new ProblemException(
          400, "An entity tag is a text in quotes, as the ETag of a reply has it");
    }
    if (isWeak && !weak) {
      return;
    }
    try {
      versions.add(EntryVersion.parse(quoted.substring(1, quoted.length() - 1)));
    } catch (IllegalArgumentException e) {
      throw new ProblemException(400, "The entity tag " + quoted + " is none of this node", e);
    }
  }

  /** The tag of a version. */
  static String tag(EntryVersion version) {
    return '"' + version.toString() + '"';
  }

  /** Whether an entry of a version fulfils the condition. */
  boolean match(@Nullable EntryVersion version) {
    return version != null && (any || versions.contains(version));
  }
}
