package dev.headrace.stream.token;

import static dev.headrace.stream.token.TokenText.damaged;
import static dev.headrace.stream.token.TokenText.number;
import static dev.headrace.stream.token.TokenText.putNumber;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.token.ResumeToken.UnreadKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The form of a resume token, in Base64 for URLs.
 *
 * <p>Its bytes: version, cluster identity (8 bytes), fingerprint of the chosen keys (8 bytes),
 * digest of the operators (8 bytes), name of the cache, number of segments; then the open segments,
 * as 0 with runs (number of runs; per run its distance from the last one, and its length) or as 1
 * with bits (their bytes, the lowest segment first), whichever is shorter; then the incarnations of
 * the open segments, in order, as runs of equal ones (number of runs; length and incarnation of
 * each); then the segments that have begun (their number; per segment its distance from the last
 * one, and its cursor); then the single keys (their number; per key its segment, incarnation,
 * length and bytes); at last the CRC-32C of all this. {@link TokenText} has the numbers and the
 * checksum. A token of 10,000 segments without single keys has no more than 2 KB.
 */
public final class TokenForm {

  private static final byte VERSION = 5;
  private static final byte RUNS = 0;
  private static final byte BITS = 1;
  private static final int MAX_SEGMENTS = 1 << 20;
  private static final int MAX_NUMBER_BYTES = 5;

  private TokenForm() {}

  static String encode(ResumeToken token) {
    Remainder remaining = token.remaining();
    byte[] name = token.cache().getBytes(StandardCharsets.UTF_8);
    byte[] open = open(remaining.open());
    byte[] incarnations = incarnations(remaining);
    int size = 2 + 3 * Long.BYTES + 4 * MAX_NUMBER_BYTES;
    size += name.length + open.length + incarnations.length;
    for (Cursor cursor : remaining.begun().values()) {
      size += MAX_NUMBER_BYTES + cursor.encodedBytes();
    }
    for (UnreadKey key : token.unread()) {
      size += 3 * MAX_NUMBER_BYTES + key.key().length;
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put(VERSION).putLong(token.clusterIdentity()).putLong(token.keys());
    out.putLong(token.operators());
    putNumber(out, name.length);
    out.put(name);
    putNumber(out, token.segments());
    out.put(open).put(incarnations);
    putBegun(out, remaining.begun());
    putUnread(out, token.unread());
    return TokenText.of(out);
  }

  private static byte[] open(BitSet open) {
    byte[] bits = open.toByteArray();
    ByteBuffer asBits = ByteBuffer.allocate(1 + MAX_NUMBER_BYTES + bits.length).put(BITS);
    putNumber(asBits, bits.length);
    asBits.put(bits);
    List<int[]> runs = runs(open);
    ByteBuffer asRuns = ByteBuffer.allocate(1 + MAX_NUMBER_BYTES * (1 + 2 * runs.size())).put(RUNS);
    putNumber(asRuns, runs.size());
    for (int[] run : runs) {
      putNumber(asRuns, run[0]);
      putNumber(asRuns, run[1]);
    }
    return written(asRuns.position() <= asBits.position() ? asRuns : asBits);
  }

  /** Runs of set bits: the distance from the run before, and the length. */
  private static List<int[]> runs(BitSet open) {
    List<int[]> runs = new ArrayList<>();
    int behind = 0;
    for (int first = open.nextSetBit(0); first >= 0; first = open.nextSetBit(behind)) {
      int end = open.nextClearBit(first);
      runs.add(new int[] {first - behind, end - first});
      behind = end;
    }
    return runs;
  }

  private static byte[] incarnations(Remainder remaining) {
    List<int[]> runs = new ArrayList<>();
    BitSet open = remaining.open();
    for (int s = open.nextSetBit(0); s >= 0; s = open.nextSetBit(s + 1)) {
      int incarnation = remaining.incarnation(s);
      int[] last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last != null && last[1] == incarnation) {
        last[0]++;
      } else {
        runs.add(new int[] {1, incarnation});
      }
    }
    ByteBuffer out = ByteBuffer.allocate(MAX_NUMBER_BYTES * (1 + 2 * runs.size()));
    putNumber(out, runs.size());
    for (int[] run : runs) {
      putNumber(out, run[0]);
      putNumber(out, run[1]);
    }
    return written(out);
  }

  private static byte[] written(ByteBuffer out) {
    byte[] bytes = new byte[out.position()];
    out.get(0, bytes);
    return bytes;
  }

  private static void putBegun(ByteBuffer out, SortedMap<Integer, Cursor> begun) {
    putNumber(out, begun.size());
    int last = 0;
    for (Map.Entry<Integer, Cursor> place : begun.entrySet()) {
      putNumber(out, place.getKey() - last);
      place.getValue().write(out);
      last = place.getKey();
    }
  }

  private static void putUnread(ByteBuffer out, List<UnreadKey> unread) {
    putNumber(out, unread.size());
    for (UnreadKey key : unread) {
      putNumber(out, key.segment());
      putNumber(out, key.incarnation());
      putNumber(out, key.key().length);
      out.put(key.key());
    }
  }

  static ResumeToken parse(String token) {
    return TokenText.parse(token, TokenForm::read);
  }

  private static ResumeToken read(ByteBuffer in) {
    byte version = in.get();
    if (version != VERSION) {
      throw new ResumeTokenException(
          "The resume token has version "
              + version
              + ", but this node knows version "
              + VERSION
              + " only: use it with the Headrace version that made it, or begin the stream anew");
    }
    long clusterIdentity = in.getLong();
    long keys = in.getLong();
    long operators = in.getLong();
    byte[] name = new byte[number(in, in.remaining())];
    in.get(name);
    int segments = number(in, MAX_SEGMENTS);
    BitSet open = readOpen(in, segments);
    int[] incarnations = readIncarnations(in, open, segments);
    Remainder remaining = new Remainder(open, incarnations, readBegun(in, open, segments));
    List<UnreadKey> unread = readUnread(in, segments);
    String cache = new String(name, StandardCharsets.UTF_8);
    return new ResumeToken(clusterIdentity, cache, keys, operators, segments, remaining, unread);
  }

  private static BitSet readOpen(ByteBuffer in, int segments) {
    byte form = in.get();
    if (form == BITS) {
      byte[] bits = new byte[number(in, (segments + 7) / 8)];
      in.get(bits);
      BitSet open = BitSet.valueOf(bits);
      if (open.length() > segments) {
        throw damaged("it names a segment that does not exist", null);
      }
      return open;
    }
    if (form != RUNS) {
      throw damaged("no segments begin with " + form, null);
    }
    BitSet open = new BitSet();
    int runs = number(in, segments);
    int behind = 0;
    for (int i = 0; i < runs; i++) {
      int first = behind + number(in, segments - behind);
      behind = first + number(in, segments - first);
      open.set(first, behind);
    }
    return open;
  }

  private static int[] readIncarnations(ByteBuffer in, BitSet open, int segments) {
    int[] incarnations = new int[segments];
    int runs = number(in, segments);
    int segment = open.nextSetBit(0);
    for (int i = 0; i < runs; i++) {
      int length = number(in, segments);
      int incarnation = number(in, Integer.MAX_VALUE);
      for (int j = 0; j < length && segment >= 0; j++) {
        incarnations[segment] = incarnation;
        segment = open.nextSetBit(segment + 1);
      }
    }
    if (segment >= 0) {
      throw damaged("it has too few incarnations", null);
    }
    return incarnations;
  }

  private static SortedMap<Integer, Cursor> readBegun(ByteBuffer in, BitSet open, int segments) {
    SortedMap<Integer, Cursor> begun = new TreeMap<>();
    int count = number(in, segments);
    int segment = 0;
    for (int i = 0; i < count; i++) {
      segment += number(in, segments - segment);
      if (!open.get(segment)) {
        throw damaged("it has a place in segment " + segment + ", which does not remain", null);
      }
      begun.put(segment, Cursor.read(in));
    }
    return begun;
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
}
