package dev.headrace.stream.token;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;

/**
 * A stream's remaining work. The projection is not part of it.
 *
 * @param keys the fingerprint of the chosen keys, or {@link #ALL_KEYS}
 * @param operators the digest of what the nodes do with the entries, or {@link #NO_OPERATORS}
 * @param segments how many segments the cluster has
 * @param remaining the segments that remain
 * @param unread single keys that remain although they lie before the cursors
 */
public record ResumeToken(
    long clusterIdentity,
    String cache,
    long keys,
    long operators,
    int segments,
    Remainder remaining,
    List<UnreadKey> unread) {

  /** The fingerprint of a stream of all keys. */
  public static final long ALL_KEYS = 0;

  /** The digest of a stream of entries as they are. */
  public static final long NO_OPERATORS = 0;

  /** The most bytes of single keys in a token. */
  private static final long MAX_UNREAD_BYTES = 8 << 20;

  /**
   * A key whose entry expired in the consumer's buffer and was not read again yet.
   *
   * @param incarnation the incarnation that the stream expects of the segment
   * @param key the encoded key; must not be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  public record UnreadKey(int segment, int incarnation, byte[] key) {}

  /** The token of a stream of entries as they are. */
  public ResumeToken(
      long clusterIdentity,
      String cache,
      long keys,
      int segments,
      Remainder remaining,
      List<UnreadKey> unread) {
    this(clusterIdentity, cache, keys, NO_OPERATORS, segments, remaining, unread);
  }

  /** The same with another remainder and other single keys. */
  public ResumeToken with(Remainder remainder, List<UnreadKey> keysUnread) {
    return new ResumeToken(
        clusterIdentity, cache, keys, operators, segments, remainder, keysUnread);
  }

  /** Whether a token can carry these keys. */
  public static boolean hasRoomFor(List<UnreadKey> unread) {
    return unread.stream().mapToLong(key -> 3 * 5 + key.key.length).sum() <= MAX_UNREAD_BYTES;
  }

  /**
   * The single keys that remain, as the token of a stream of just these keys.
   *
   * @param fingerprint that of the chosen keys
   */
  public ResumeToken ofUnread(long fingerprint) {
    BitSet open = new BitSet();
    int[] incarnations = new int[segments];
    for (UnreadKey key : unread) {
      open.set(key.segment);
      incarnations[key.segment] = key.incarnation;
    }
    Remainder parts = new Remainder(open, incarnations, new TreeMap<>());
    return new ResumeToken(
        clusterIdentity, cache, fingerprint, operators, segments, parts, List.of());
  }

  /**
   * What remains of a stream whose consumers each have a token of their own: what no one of them
   * has been handed.
   *
   * @param tokens at least one
   * @throws ResumeTokenException if they are not tokens of one stream
   */
  public static ResumeToken common(List<ResumeToken> tokens, HashSpace space) {
    ResumeToken common = tokens.get(0);
    for (ResumeToken token : tokens.subList(1, tokens.size())) {
      common = common.and(token, space);
    }
    return common;
  }

  private ResumeToken and(ResumeToken other, HashSpace space) {
    boolean same =
        clusterIdentity == other.clusterIdentity
            && cache.equals(other.cache)
            && keys == other.keys
            && operators == other.operators
            && segments == other.segments
            && segments == space.segments();
    BitSet both = (BitSet) remaining.open().clone();
    both.and(other.remaining.open());
    for (int s = both.nextSetBit(0); same && s >= 0; s = both.nextSetBit(s + 1)) {
      same = remaining.incarnation(s) == other.remaining.incarnation(s);
    }
    if (!same) {
      throw new ResumeTokenException(
          "These resume tokens do not belong to the rails of one stream: pass the newest token of"
              + " each rail, or begin the stream anew");
    }
    List<UnreadKey> keysUnread = new ArrayList<>();
    for (UnreadKey key : unread) {
      if (other.isLeft(key, space)) {
        keysUnread.add(key);
      }
    }
    for (UnreadKey key : other.unread) {
      if (isBehindPlace(key, space)) {
        keysUnread.add(key);
      }
    }
    return with(remaining.and(other.remaining), keysUnread);
  }

  private boolean isLeft(UnreadKey key, HashSpace space) {
    return isBehindPlace(key, space)
        || unread.stream().anyMatch(mine -> Arrays.equals(mine.key, key.key));
  }

  /** Whether a key is still to come at its place in its segment. */
  private boolean isBehindPlace(UnreadKey key, HashSpace space) {
    long position = space.position(space.hash(key.key));
    return remaining.open().get(key.segment)
        && !remaining.cursor(key.segment).covers(position, key.key);
  }

  /** Encodes the token as a string that is safe to use in a URL. */
  public String encode() {
    return TokenForm.encode(this);
  }

  /**
   * Parses what {@link #encode} returned.
   *
   * @throws ResumeTokenException if the string is no token or is damaged
   */
  public static ResumeToken parse(String token) {
    return TokenForm.parse(token);
  }
}
