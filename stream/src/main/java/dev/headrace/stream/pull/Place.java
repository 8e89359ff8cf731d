package dev.headrace.stream.pull;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.KeySelection;
import dev.headrace.stream.token.Remainder;
import dev.headrace.stream.token.ResumeToken;
import dev.headrace.stream.token.ResumeToken.UnreadKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place behind the last element that was handed over, from which a token can be made at any
 * time. Immutable, for any thread.
 *
 * @param before what remains behind the last batch that was consumed as a whole; shared by all
 *     places in the next one
 * @param parts the parts of the batch that is being handed over; empty between two batches
 * @param done how many of them were handed over to their ends
 * @param cursor the place in the part that follows these; null if none of its entries was handed
 *     over
 * @param untold the segments whose last elements were handed over, and whose ends are told later
 * @param expired the keys of the entries that were left out because they had expired, up to here
 * @param looking the place in a look-up of expired keys, which takes the place of {@code expired};
 *     null if none is under way
 */
record Place(
    ResumeToken before,
    List<SegmentPart> parts,
    int done,
    @Nullable Cursor cursor,
    HashSpace space,
    List<Integer> untold,
    @Nullable ExpiredKeys expired,
    @Nullable LookupPlace looking) {

  /**
   * The keys of entries that had expired when it was their turn, the last one first.
   *
   * @param before the keys before this one
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
  record ExpiredKeys(byte[] key, @Nullable ExpiredKeys before) {

    /** The keys in the order of their entries. */
    static List<byte[]> list(@Nullable ExpiredKeys last) {
      List<byte[]> keys = new ArrayList<>();
      for (ExpiredKeys each = last; each != null; each = each.before) {
        keys.add(each.key);
      }
      Collections.reverse(keys);
      return keys;
    }
  }

  /** The place in a look-up of these keys. */
  record LookupPlace(Place place, KeySelection keys) {

    /** The keys that were not looked up yet. */
    List<UnreadKey> unread() {
      ResumeToken token = place.token();
      Remainder remaining = token.remaining();
      List<UnreadKey> unread = new ArrayList<>(token.unread());
      BitSet open = remaining.open();
      for (int s = open.nextSetBit(0); s >= 0; s = open.nextSetBit(s + 1)) {
        for (byte[] key : keys.allBehind(s, remaining.cursor(s))) {
          unread.add(new UnreadKey(s, remaining.incarnation(s), key));
        }
      }
      return unread;
    }
  }

  /** What remains of the stream behind this place. */
  ResumeToken token() {
    Remainder remaining = before.remaining().after(parts, done, cursor, untold);
    List<UnreadKey> unread = new ArrayList<>(before.unread());
    if (looking != null) {
      unread.addAll(looking.unread());
    }
    for (byte[] key : ExpiredKeys.list(expired)) {
      int segment = space.segment(space.hash(key));
      unread.add(new UnreadKey(segment, remaining.incarnation(segment), key));
    }
    return before.with(remaining, unread);
  }

  /** The token as a string. */
  String encode() {
    ResumeToken token = token();
    if (!ResumeToken.hasRoomFor(token.unread())) {
      throw new HeadraceException(
          "The keys of "
              + token.unread().size()
              + " entries that expired in the stream's buffer are too large for a token: set"
              + " smaller batches");
    }
    return token.encode();
  }
}
