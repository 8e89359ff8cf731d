package dev.headrace.http.cache;

import dev.headrace.api.stream.EntryVersion;
import dev.headrace.http.exchange.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The entity tags of a condition such as {@code If-Match}, RFC 9110, 8.8.3 and 13.1. Immutable.
 *
 * @param any whether it is a star, which any entry fulfils
 * @param versions the versions that it names; tags that are no versions are none of them, and no
 *     entry has one
 */
record EntityTags(boolean any, List<EntryVersion> versions) {
  private static final int MAX_TAGS = 64;

  /** A tag, up to the comma behind it or the end; a comma within quotes belongs to the tag. */
  private static final Pattern TAG = Pattern.compile("[ \t]*(?:(W/)?\"([^\"]*)\")?[ \t]*(?:,|\\z)");

  /**
   * Reads a header.
   *
   * @param weak whether weak tags count, too: they do where tags are compared weakly, as by {@code
   *     If-None-Match}, and equal none where they are compared strongly
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
    int tags = 0;
    Matcher tag = TAG.matcher(header);
    while (tag.regionStart() < header.length()) {
      if (!tag.lookingAt()) {
        throw damaged();
      }
      String quoted = tag.group(2);
      if (quoted != null && ++tags > MAX_TAGS) {
        throw new ProblemException(400, "A condition may have " + MAX_TAGS + " entity tags");
      }
      if (quoted != null && (weak || tag.group(1) == null)) {
        add(quoted, versions);
      }
      tag.region(tag.end(), header.length());
    }
    if (tags == 0) {
      throw damaged();
    }
    return new EntityTags(false, List.copyOf(versions));
  }

  private static void add(String tag, List<EntryVersion> versions) {
    EntryVersion version;
    try {
      version = EntryVersion.parse(tag);
    } catch (IllegalArgumentException e) {
      return; // none of ours: no entry has it
    }
    if (version.toString().equals(tag)) { // and not another text of the same numbers
      versions.add(version);
    }
  }

  private static ProblemException damaged() {
    return new ProblemException(
        400, "An entity tag is a text in quotes, as the ETag of a reply has it");
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
