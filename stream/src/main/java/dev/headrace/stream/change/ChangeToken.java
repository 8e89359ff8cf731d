package dev.headrace.stream.change;

import static dev.headrace.stream.token.TokenText.number;
import static dev.headrace.stream.token.TokenText.putNumber;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.token.TokenText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream of changes is, as an opaque string, safe to use in a URL.
 *
 * <p>Its bytes: version, cluster identity (8 bytes), name of the cache, number of segments, number
 * of runs; per run of segments in the same state the distance to the last one, its length, its
 * incarnation times 4 plus the state, and, where changes have numbers, these of all its segments
 * and then their terms and 1 as {@link PackedNumbers}, and the segments' cursors if they have any;
 * at last the CRC-32C of all this. Other numbers are unsigned LEB128.
 *
 * @param places ascending
 */
record ChangeToken(long clusterIdentity, String cache, int segments, List<Place> places) {
  /** Larger than any version of a token of a stream without changes. */
  private static final byte VERSION = 65;

  private static final int MAX_SEGMENTS = 1 << 20;

  private static final int NEW = 0;
  private static final int AT_START = 1;
  private static final int READING = 2;
  private static final int FOLLOWING = 3;

  /**
   * A place in a segment, as in {@link SegmentFeed}.
   *
   * @param content null if the content was read, or is not wanted
   */
  record Place(int segment, int incarnation, long next, long term, @Nullable Cursor content) {
    private int state() {
      Cursor reached = content;
      if (reached == null) {
        return next == 0 ? NEW : FOLLOWING;
      }
      return reached.isStart() ? AT_START : READING;
    }
  }

  String encode() {
    byte[] name = cache.getBytes(StandardCharsets.UTF_8);
    List<List<Place>> runs = runs();
    int size = 1 + Long.BYTES + 3 * 10 + name.length;
    for (List<Place> run : runs) {
      size += 3 * 10 + 2 * PackedNumbers.maxBytes(run.size());
    }
    for (Place place : places) {
      Cursor content = place.content;
      size += content == null ? 0 : content.encodedBytes();
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put(VERSION).putLong(clusterIdentity);
    putNumber(out, name.length);
    out.put(name);
    putNumber(out, segments);
    putNumber(out, runs.size());
    int behind = 0;
    for (List<Place> run : runs) {
      behind = put(out, run, behind);
    }
    return TokenText.of(out);
  }

  private static int put(ByteBuffer out, List<Place> run, int behind) {
    Place first = run.get(0);
    int state = first.state();
    putNumber(out, first.segment - behind);
    putNumber(out, run.size());
    putNumber(out, (long) first.incarnation << 2 | state);
    if (state >= READING) {
      PackedNumbers.write(out, run.stream().mapToLong(Place::next).toArray());
      PackedNumbers.write(out, run.stream().mapToLong(place -> place.term + 1).toArray());
      for (Place place : run) {
        Cursor content = place.content;
        if (content != null) {
          content.write(out);
        }
      }
    }
    return first.segment + run.size();
  }

  private List<List<Place>> runs() {
    List<List<Place>> runs = new ArrayList<>();
    Place last = null;
    for (Place place : places) {
      boolean goesOn =
          last != null
              && last.segment + 1 == place.segment
              && last.incarnation == place.incarnation
              && last.state() == place.state();
      if (!goesOn) {
        runs.add(new ArrayList<>());
      }
      runs.get(runs.size() - 1).add(place);
      last = place;
    }
    return runs;
  }

  /**
   * Parses what {@link #encode} returned.
   *
   * @throws ResumeTokenException if the string is no token or is damaged
   */
  static ChangeToken parse(String token) {
    return TokenText.parse(token, ChangeToken::read);
  }

  private static ChangeToken read(ByteBuffer in) {
    byte version = in.get();
    if (version != VERSION) {
      throw new ResumeTokenException(
          "The resume token has version %d, but one of a stream of changes has %d: use the token of a stream of entries with stream(), and one of another Headrace version with that"
              .formatted(version, VERSION));
    }
    long identity = in.getLong();
    byte[] name = new byte[number(in, in.remaining())];
    in.get(name);
    int segments = number(in, MAX_SEGMENTS);
    long runs = number(in, segments);
    List<Place> places = new ArrayList<>();
    int behind = 0;
    for (long run = 0; run < runs; run++) {
      int first = behind + number(in, segments - behind);
      int length = number(in, segments - first);
      long state = number(in, (long) Integer.MAX_VALUE << 2 | FOLLOWING);
      readRun(in, first, length, (int) (state >>> 2), (int) state & FOLLOWING, places);
      behind = first + length;
    }
    return new ChangeToken(identity, new String(name, StandardCharsets.UTF_8), segments, places);
  }

  private static void readRun(
      ByteBuffer in, int first, int length, int incarnation, int state, List<Place> places) {
    boolean numbered = state >= READING;
    long[] next = numbered ? PackedNumbers.read(in, length) : new long[length];
    long[] termsAndOne = numbered ? PackedNumbers.read(in, length) : new long[length];
    for (int i = 0; i < length; i++) {
      Cursor content = null;
      if (state == READING) {
        content = Cursor.read(in);
      } else if (state == AT_START) {
        content = Cursor.START;
      }
      places.add(new Place(first + i, incarnation, next[i], termsAndOne[i] - 1, content));
    }
  }
}
