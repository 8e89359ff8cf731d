package dev.headrace.stream.change;

import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.Change.Kind;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the elements of chunks one by one and leaves out what does not count. After each element
 * the place in the segment is the one behind it. Owned by the drain.
 */
final class ChunkReader<K, V> {
  private final ChangeSource<K, V> source;
  private final LongSupplier clusterMillis;
  private final boolean latestOnly;
  private final boolean previous;
  private final ChangeView change = new ChangeView();
  private final EntryView entry = new EntryView();

  private @Nullable Chunk chunk;
  private ByteBuffer entries = ByteBuffer.allocate(0);
  private int at;
  private int behind;
  private boolean found;
  private byte[] key = {};
  private byte @Nullable [] lastEntry;
  private @Nullable Map<ByteBuffer, Long> latest;

  /**
   * @param options of these: whether only latest changes are told, and previous values
   */
  ChunkReader(ChangeSource<K, V> source, LongSupplier clusterMillis, ChangeOptions options) {
    this.source = source;
    this.clusterMillis = clusterMillis;
    this.latestOnly = options.latestOnly();
    this.previous = options.previous();
  }

  void begin(Chunk next) {
    chunk = next;
    at = next.from();
    behind = at;
    found = false;
    lastEntry = null;
    latest = null;
    switch (next.what()) {
      case ENTRIES -> {
        entries = ByteBuffer.wrap(next.bytes());
        next.feed().next = next.next();
        next.feed().term = next.term();
      }
      case CHANGES -> latest = latestOnly ? latestOf(next) : null;
      case REPLACEMENT -> {}
    }
  }

  /** The number of the last change of each key; what is before a clear is of no key. */
  private Map<ByteBuffer, Long> latestOf(Chunk next) {
    Map<ByteBuffer, Long> last = new HashMap<>();
    for (int from = next.from(); from < next.to(); ) {
      from = change.parse(next.bytes(), from, next.to());
      if (change.kind() == ChangeKind.CLEARED) {
        last.clear();
      } else {
        last.put(ByteBuffer.wrap(change.key(next.bytes())), change.sequence());
      }
    }
    return last;
  }

  /** The chunk that is being read; null if there is none. */
  @Nullable Chunk chunk() {
    return chunk;
  }

  void end() {
    chunk = null;
    entries = ByteBuffer.allocate(0);
    latest = null;
    lastEntry = null;
  }

  /** Whether {@link #take} returns an element; false at the end of the chunk. */
  boolean hasNext() {
    Chunk present = chunk;
    while (!found && present != null) {
      switch (present.what()) {
        case REPLACEMENT -> {
          found = at == present.from();
          at++;
          if (!found) {
            return false;
          }
        }
        case CHANGES -> {
          if (behind >= present.to()) {
            return false;
          }
          at = behind;
          behind = change.parse(present.bytes(), at, present.to());
          found = counts(present);
          if (!found) {
            present.feed().next = change.sequence() + 1;
          }
        }
        case ENTRIES -> {
          if (behind >= present.to()) {
            return false;
          }
          at = behind;
          behind = entry.parse(entries, at, present.to());
          key = entry.key(entries);
          boolean expired =
              entry.expiryMillis() != 0 && entry.expiryMillis() <= clusterMillis.getAsLong();
          found = !expired && source.chosen(key);
        }
      }
    }
    return found;
  }

  private boolean counts(Chunk present) {
    if (change.kind() == ChangeKind.CLEARED) {
      return true;
    }
    key = change.key(present.bytes());
    Cursor upTo = present.cursor();
    Map<ByteBuffer, Long> last = latest;
    if (last != null) {
      Long lastOfKey = last.get(ByteBuffer.wrap(key));
      if (lastOfKey == null || lastOfKey != change.sequence()) {
        return false;
      }
    }
    return source.chosen(key) && (upTo == null || upTo.covers(source.position(key), key));
  }

  /** The element that {@link #hasNext} has found. */
  Change<K, V> take() {
    Chunk present = chunk;
    if (present == null || !found) {
      throw new IllegalStateException("no element is ready");
    }
    found = false;
    SegmentFeed feed = present.feed();
    return switch (present.what()) {
      case REPLACEMENT ->
          new Change.OfRange<>(
              Kind.REPLACED, feed.segment, source.range(feed.segment, present.cursor()));
      case CHANGES -> takeChange(present, feed);
      case ENTRIES -> {
        EntryVersion version = new EntryVersion(entry.term(entries), entry.counter(entries));
        lastEntry = key;
        yield new Change.OfKey<>(
            Kind.PRESENT,
            feed.segment,
            source.key(key),
            source.value(entry.value(entries)),
            null,
            version);
      }
    };
  }

  private Change<K, V> takeChange(Chunk present, SegmentFeed feed) {
    feed.next = change.sequence() + 1;
    feed.term = change.term();
    if (change.kind() == ChangeKind.CLEARED) {
      return new Change.OfRange<>(
          Kind.CLEARED, feed.segment, source.range(feed.segment, present.cursor()));
    }
    byte[] bytes = present.bytes();
    return new Change.OfKey<>(
        kind(change.kind()),
        feed.segment,
        source.key(key),
        source.value(change.value(bytes)),
        previous ? source.value(change.previous(bytes)) : null,
        new EntryVersion(change.term(), change.sequence()));
  }

  private static Kind kind(ChangeKind kind) {
    return switch (kind) {
      case CREATED -> Kind.CREATED;
      case UPDATED -> Kind.UPDATED;
      case REMOVED -> Kind.REMOVED;
      case EXPIRED -> Kind.EXPIRED;
      case CLEARED -> Kind.CLEARED;
    };
  }

  /** Where a segment is, behind the element that was taken last. */
  ChangeToken.Place place(SegmentFeed feed) {
    Chunk present = chunk;
    byte[] last = lastEntry;
    Cursor content = feed.content;
    long next = feed.next;
    if (present != null && present.feed() == feed) {
      if (present.what() == Chunk.What.ENTRIES && last != null) {
        content = Cursor.after(source.position(last), last);
      } else if (present.what() == Chunk.What.REPLACEMENT && at > present.from() && !found) {
        content = Cursor.START;
      }
    }
    boolean atStart = content != null && content.isStart();
    return new ChangeToken.Place(
        feed.segment, feed.incarnation, atStart ? 0 : next, atStart ? -1 : feed.term, content);
  }
}
