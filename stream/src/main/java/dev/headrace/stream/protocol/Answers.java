package dev.headrace.stream.protocol;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.FaultScope;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks that an answer keeps to the protocol, and says what it means for the stream. */
final class Answers {

  private Answers() {}

  /** How an answer violates the protocol, or null if it does not. */
  static @Nullable String violation(ReadRequest request, Batch batch) {
    List<SegmentPart> parts = batch.parts();
    int[] asked = request.segments();
    if (parts.isEmpty() || parts.size() > asked.length) {
      return "a batch has " + parts.size() + " parts for " + asked.length + " segments";
    }
    long entries = 0;
    for (int i = 0; i < parts.size(); i++) {
      SegmentPart part = parts.get(i);
      boolean last = i == parts.size() - 1;
      boolean mayBeFollowed = part.status() == Status.DONE || part.status() == Status.NOT_HELD;
      if (part.segment() != asked[i] || !(last || mayBeFollowed)) {
        return "a batch names segment " + part.segment() + " out of order";
      }
      if (part.entries() > 0 && part.status() != Status.DONE && part.status() != Status.MORE) {
        return "a batch has entries of segment " + part.segment() + ", but does not serve it";
      }
      entries += part.entries();
    }
    int bytes = batch.entries().remaining();
    if (entries > request.maxEntries() || bytes > request.maxBytes()) {
      return "a batch has "
          + entries
          + " entries and "
          + bytes
          + " bytes, more than its request allowed";
    }
    return withoutProgress(request, batch, entries);
  }

  private static @Nullable String withoutProgress(ReadRequest request, Batch batch, long entries) {
    List<SegmentPart> parts = batch.parts();
    SegmentPart last = parts.get(parts.size() - 1);
    if (last.status() == Status.TOO_LARGE) {
      boolean sensible = batch.entryBytes() > request.maxBytes();
      return entries == 0 && sensible && batch.entryBytes() <= Integer.MAX_VALUE
          ? null
          : "a batch calls an entry of "
              + batch.entryBytes()
              + " bytes too large for "
              + request.maxBytes();
    }
    if (last.status() == Status.MORE && last.entries() == 0) {
      Cursor before = parts.size() == 1 ? request.firstCursor() : Cursor.START;
      return last.cursor().equals(before) ? "a batch makes no progress" : null;
    }
    return null;
  }

  /** The error of a stream that reads another format than the nodes have. */
  static CodecException wrongFormat(String cache, int segment) {
    return new CodecException(
        "The cache \""
            + cache
            + "\" has keys or values of another format on another node (segment "
            + segment
            + "): open it with the same codecs everywhere",
        FaultScope.ofSegment(cache, segment));
  }

  static int entries(List<SegmentPart> parts) {
    int entries = 0;
    for (int i = 0; i < parts.size(); i++) {
      entries += parts.get(i).entries();
    }
    return entries;
  }

  /**
   * The parts as the stream sees them. In a stream of chosen keys a segment continues as long as
   * keys of it are left, even if the answer to a request for some of them says {@code DONE}.
   */
  static List<SegmentPart> parts(
      ReadRequest request, List<SegmentPart> parts, @Nullable KeySelection selection) {
    byte[][] keys = request.keys();
    SegmentPart part = parts.get(0);
    boolean done = part.status() == Status.DONE;
    if (keys == null || selection == null || !(done || part.status() == Status.MORE)) {
      return parts;
    }
    Cursor behind = done ? selection.cursorBehind(keys[keys.length - 1]) : part.cursor();
    boolean left = selection.behind(part.segment(), behind).length > 0;
    Status status = left ? Status.MORE : Status.DONE;
    return List.of(new SegmentPart(part.segment(), part.entries(), status, behind));
  }
}
