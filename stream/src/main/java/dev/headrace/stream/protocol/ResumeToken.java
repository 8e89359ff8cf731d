package dev.headrace.stream.protocol;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.WireException;
import dev.headrace.stream.entry.Cursor;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A stream's remaining work as an opaque string, safe to use in a URL.
 *
 * <p>Its bytes: version, cluster identity (8 bytes), in version 2 the fingerprint of the chosen
 * keys (8 bytes, which may be 0 in version 3), name of the cache, number of segments, number of
 * runs; per run the distance to the last one, its length, incarnation and cursor, where a run of
 * more than one segment stands for segments not begun; in version 3 the number of single keys, and
 * per key its segment, incarnation, length and bytes; at last the CRC-32C of all this. Numbers are
 * unsigned LEB128. The projection is not part of the token.
 *
 * @param keys the fingerprint of the chosen keys, or {@link #ALL_KEYS}
 * @param remaining the remaining segments, in ascending order
 * @param unread single keys that remain although they lie before the cursors
 */
public record ResumeToken(
    long clusterIdentity,
    String cache,
    long keys,
    int segments,
    List<Remaining> remaining,
    List<UnreadKey> unread) {

  /** The fingerprint of a stream of all keys. */
  public static final long ALL_KEYS = 0;

  /** The longest string that is parsed. A token of 2^20 begun segments is half as long. */
  public static final int MAX_CHARS = 32 << 20;

  /** The most bytes of single keys in a token. */
  private static final long MAX_UNREAD_BYTES = 8 << 20;

  private static final byte VERSION_OF_ALL_KEYS = 1;
  private static final byte VERSION_OF_CHOSEN_KEYS = 2;
  private static final byte VERSION_OF_UNREAD_KEYS = 3;
  private static final int MAX_SEGMENTS = 1 << 20;
  private static final int CRC_BYTES = 4;

  /** A segment, and where to continue in it. */
  public record Remaining(int segment, int incarnation, Cursor cursor) {}

  /**
   * A key whose entry expired in the consumer's buffer and could not be read again.
   *
   * @param incarnation the incarnation that the stream expects of the segment
   * @param key the encoded key; must not be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  public record UnreadKey(int segment, int incarnation, byte[] key) {}

  private record Run(int first, int length, int incarnation, Cursor cursor) {}

  static ResumeToken of(
      long clusterIdentity, String cache, long keys, Progress progress, List<UnreadKey> unread) {
    List<Remaining> remaining = new ArrayList<>();
    BitSet open = progress.toConsume();
    for (int s = open.nextSetBit(0); s >= 0; s = open.nextSetBit(s + 1)) {
      remaining.add(new Remaining(s, progress.incarnation(s), progress.consumed(s)));
    }
    return new ResumeToken(clusterIdentity, cache, keys, progress.segments(), remaining, unread);
  }

  /** The same with other single keys. */
  public ResumeToken with(List<UnreadKey> keysUnread) {
    return new ResumeToken(clusterIdentity, cache, keys, segments, remaining, keysUnread);
  }

  /** Whether a token can carry these keys. */
  public static boolean hasRoomFor(List<UnreadKey> unread) {
    return unread.stream().mapToLong(key -> 3 * 5 + key.key.length).sum() <= MAX_UNREAD_BYTES;
  }

  /** The single keys that remain, as the token of a stream of just these keys. */
  public ResumeToken ofUnread(KeySelection selection) {
    SortedMap<Integer, Remaining> parts = new TreeMap<>();
    for (UnreadKey key : unread) {
      parts.put(key.segment, new Remaining(key.segment, key.incarnation, Cursor.START));
    }
    return new ResumeToken(
        clusterIdentity,
        cache,
        selection.fingerprint(),
        segments,
        List.copyOf(parts.values()),
        List.of());
  }

  /** Encodes the token as a string. */
  public String encode() {
    List<Run> runs = runs();
    byte[] name = cache.getBytes(StandardCharsets.UTF_8);
    int size = 1 + 2 * Long.BYTES + 4 * 5 + name.length + CRC_BYTES;
    for (Run run : runs) {
      size += 3 * 5 + run.cursor.encodedBytes();
    }
    for (UnreadKey key : unread) {
      size += 3 * 5 + key.key.length;
    }
    byte[] bytes = new byte[size];
    ByteBuffer out = ByteBuffer.wrap(bytes);
    byte version = version();
    out.put(version);
    out.putLong(clusterIdentity);
    if (version != VERSION_OF_ALL_KEYS) {
      out.putLong(keys);
    }
    putNumber(out, name.length);
    out.put(name);
    putNumber(out, segments);
    putNumber(out, runs.size());
    int behind = 0;
    for (Run run : runs) {
      putNumber(out, run.first - behind);
      putNumber(out, run.length);
      putNumber(out, run.incarnation);
      run.cursor.write(out);
      behind = run.first + run.length;
    }
    if (version == VERSION_OF_UNREAD_KEYS) {
      putUnread(out);
    }
    out.putInt(crc(bytes, out.position()));
    byte[] written = Arrays.copyOf(bytes, out.position());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(written);
  }

  private byte version() {
    if (!unread.isEmpty()) {
      return VERSION_OF_UNREAD_KEYS;
    }
    return keys == ALL_KEYS ? VERSION_OF_ALL_KEYS : VERSION_OF_CHOSEN_KEYS;
  }

  private void putUnread(ByteBuffer out) {
    putNumber(out, unread.size());
    for (UnreadKey key : unread) {
      putNumber(out, key.segment);
      putNumber(out, key.incarnation);
      putNumber(out, key.key.length);
      out.put(key.key);
    }
  }

  private List<Run> runs() {
    List<Run> runs = new ArrayList<>();
    for (Remaining next : remaining) {
      Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last != null
          && last.first + last.length == next.segment
          && last.incarnation == next.incarnation
          && last.cursor.isStart()
          && next.cursor.isStart()) {
        runs.set(
            runs.size() - 1, new Run(last.first, last.length + 1, last.incarnation, last.cursor));
      } else {
        runs.add(new Run(next.segment, 1, next.incarnation, next.cursor));
      }
    }
    return runs;
  }

  /**
   * Parses what {@link #encode} returned.
   *
   * @throws ResumeTokenException if the string is no token or is damaged
   */
  public static ResumeToken parse(String token) {
    if (token.length() > MAX_CHARS) {
      throw damaged("it has " + token.length() + " characters, more than any token", null);
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(token);
      int length = bytes.length - CRC_BYTES;
      if (length < 1 || ByteBuffer.wrap(bytes).getInt(length) != crc(bytes, length)) {
        throw damaged("its checksum is wrong", null);
      }
      return read(ByteBuffer.wrap(bytes, 0, length));
    } catch (IllegalArgumentException | BufferUnderflowException | WireException e) {
      throw damaged("it cannot be read", e);
    }
  }

  private static ResumeToken read(ByteBuffer in) {
    byte version = in.get();
    if (version < VERSION_OF_ALL_KEYS || version > VERSION_OF_UNREAD_KEYS) {
      throw new ResumeTokenException(
          "The resume token has version "
              + version
              + ", but this node knows versions up to "
              + VERSION_OF_UNREAD_KEYS
              + ": use it with the Headrace version that made it, or begin the stream anew");
    }
    long clusterIdentity = in.getLong();
    long keys = version == VERSION_OF_ALL_KEYS ? ALL_KEYS : in.getLong();
    byte[] name = new byte[number(in, in.remaining())];
    in.get(name);
    int segments = number(in, MAX_SEGMENTS);
    int runs = number(in, segments);
    List<Remaining> remaining = new ArrayList<>();
    int behind = 0;
    for (int i = 0; i < runs; i++) {
      int first = behind + number(in, segments - behind);
      int length = number(in, segments - first);
      int incarnation = number(in, Integer.MAX_VALUE);
      Cursor cursor = Cursor.read(in);
      if (length < 1 || (length > 1 && !cursor.isStart())) {
        throw damaged("it has a run of " + length + " segments", null);
      }
      behind = first + length;
      for (int s = first; s < behind; s++) {
        remaining.add(new Remaining(s, incarnation, cursor));
      }
    }
    List<UnreadKey> unread =
        version == VERSION_OF_UNREAD_KEYS ? readUnread(in, segments) : List.of();
    if (in.hasRemaining()) {
      throw damaged("it continues behind its end", null);
    }
    return new ResumeToken(
        clusterIdentity,
        new String(name, StandardCharsets.UTF_8),
        keys,
        segments,
        remaining,
        unread);
  }

  private static List<UnreadKey> readUnread(ByteBuffer in, int segments) {
    int count = number(in, in.remaining() / 3);
    List<UnreadKey> unread = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int segment = number(in, segments - 1);
      int incarnation = number(in, Integer.MAX_VALUE);
      byte[] key = new byte[number(in, in.remaining())];
      in.get(key);
      unread.add(new UnreadKey(segment, incarnation, key));
    }
    return unread;
  }

  private static ResumeTokenException damaged(String how, @Nullable Exception cause) {
    String message =
        "The resume token is damaged: "
            + how
            + ". Pass it exactly as it was, or begin the stream anew";
    return cause == null
        ? new ResumeTokenException(message)
        : new ResumeTokenException(message, cause);
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static void putNumber(ByteBuffer out, int value) {
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  private static int number(ByteBuffer in, int max) {
    long value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte next = in.get();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        if (value > max) {
          throw damaged("a number is " + value + " where at most " + max + " makes sense", null);
        }
        return (int) value;
      }
    }
    throw damaged("a number is too long", null);
  }
}
