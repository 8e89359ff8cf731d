package dev.headrace.stream.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.token.ResumeToken.UnreadKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** What a token keeps, how long it is, and which tokens are refused. */
class ResumeTokenTest {

  @Test
  void aTokenKeepsWhatRemains() {
    Random random = new Random(5);
    for (int round = 0; round < 400; round++) {
      int segments = 1 + random.nextInt(300);
      ResumeToken token =
          new ResumeToken(
              random.nextLong(),
              "quotes-ä",
              random.nextInt(3) * random.nextLong(),
              random.nextInt(3) * random.nextLong(),
              segments,
              remainder(random, segments, 1 + random.nextInt(8)),
              unread(random, segments));
      String text = token.encode();
      assertThat(text).matches("[A-Za-z0-9_-]+");
      assertThat(ResumeToken.parse(text))
          .usingRecursiveComparison()
          .withStrictTypeChecking()
          .isEqualTo(token);
    }
  }

  private static Remainder remainder(Random random, int segments, int oneOpenIn) {
    Remainder remaining = Remainder.none(segments);
    for (int s = 0; s < segments; s++) {
      if (random.nextInt(oneOpenIn) == 0) {
        remaining.open().set(s);
        remaining.incarnations()[s] = random.nextInt(3) / 2;
        if (random.nextInt(3) == 0) {
          remaining.begun().put(s, cursor(random));
        }
      }
    }
    return remaining;
  }

  private static List<UnreadKey> unread(Random random, int segments) {
    List<UnreadKey> unread = new ArrayList<>();
    for (int i = random.nextInt(4); i > 1; i--) {
      byte[] key = new byte[random.nextInt(300)];
      random.nextBytes(key);
      unread.add(new UnreadKey(random.nextInt(segments), random.nextInt(3), key));
    }
    return unread;
  }

  private static Cursor cursor(Random random) {
    return random.nextBoolean()
        ? Cursor.after(random.nextLong())
        : Cursor.after(random.nextLong(), new byte[random.nextInt(20)]);
  }

  @Test
  void aTokenOfSegmentsNotBegunIsShort() {
    assertThat(inProgress(1 << 20, s -> true, 0).encode().length()).isLessThan(72);
  }

  @Test
  void aTokenIsAsLongAsTheSegmentsInProgressWant() {
    // Every second segment is done: ranges would be as many as segments.
    assertThat(inProgress(256, s -> s % 2 == 0, 16).encode().length()).isLessThan(1 << 10);
    assertThat(inProgress(10_000, s -> s % 2 == 0, 64).encode().length()).isLessThan(4 << 10);
    assertThat(inProgress(10_000, s -> s > 9000, 64).encode().length()).isLessThan(2 << 10);
  }

  private static ResumeToken inProgress(int segments, IntPredicate remains, int begun) {
    BitSet open = new BitSet();
    for (int s = 0; s < segments; s++) {
      open.set(s, remains.test(s));
    }
    TreeMap<Integer, Cursor> places = new TreeMap<>();
    open.stream().limit(begun).forEach(s -> places.put(s, Cursor.after(s * 0x9E37_79B9_7F4AL)));
    Remainder remaining = new Remainder(open, new int[segments], places);
    return new ResumeToken(
        1, "quotes", ResumeToken.ALL_KEYS, Long.MIN_VALUE + 1, segments, remaining, List.of());
  }

  @Test
  void everyDamageIsNoticed() {
    Remainder remaining = Remainder.none(64);
    remaining.open().set(3);
    remaining.open().set(9);
    remaining.incarnations()[3] = 1;
    remaining.begun().put(3, Cursor.after(77));
    remaining.begun().put(9, Cursor.after(78, new byte[] {1, 2}));
    String good =
        new ResumeToken(12, "quotes", ResumeToken.ALL_KEYS, 64, remaining, List.of()).encode();
    for (int i = 0; i < good.length(); i++) {
      char other = good.charAt(i) == 'A' ? 'B' : 'A';
      refused(good.substring(0, i) + other + good.substring(i + 1));
      refused(good.substring(0, i));
    }
    refused(good + "AAAA");
    refused("");
    refused("not a token!");
    refused("A".repeat(TokenText.MAX_CHARS + 1));
  }

  private static void refused(String text) {
    assertThatThrownBy(() -> ResumeToken.parse(text))
        .isInstanceOf(ResumeTokenException.class)
        .hasMessageContaining("damaged");
  }

  @Test
  void whatRemainsOfSeveralTokensIsWhatNoneOfThemHasDone() {
    HashSpace space = new HashSpace(4, 7);
    ResumeToken one = token(4, List.of(0, 1, 2), 1, Cursor.after(50));
    ResumeToken other = token(4, List.of(1, 2, 3), 2, Cursor.after(9, new byte[] {1}));
    ResumeToken third = token(4, List.of(1, 2), 1, Cursor.after(50, new byte[] {7}));
    ResumeToken common = ResumeToken.common(List.of(one, other, third), space);
    assertThat(common.remaining().open().stream().toArray()).containsExactly(1, 2);
    assertThat(common.remaining().cursor(1)).isEqualTo(Cursor.after(50));
    assertThat(common.remaining().cursor(2)).isEqualTo(Cursor.after(9, new byte[] {1}));
  }

  @Test
  void aKeyThatOneTokenNamesAsUnreadStaysUnlessAnotherHasReadIt() {
    HashSpace space = new HashSpace(1, 7);
    byte[] key = {1, 2, 3};
    long position = space.position(space.hash(key));
    List<UnreadKey> unread = List.of(new UnreadKey(0, 0, key));
    ResumeToken behind = token(1, List.of(0), 0, Cursor.after(position));
    ResumeToken names = behind.with(behind.remaining(), unread);
    ResumeToken before = token(1, List.of(0), 0, Cursor.START);
    assertThat(ResumeToken.common(List.of(names, before), space).unread()).isEqualTo(unread);
    assertThat(ResumeToken.common(List.of(before, names), space).unread()).isEqualTo(unread);
    assertThat(ResumeToken.common(List.of(names, names), space).unread()).isEqualTo(unread);
    assertThat(ResumeToken.common(List.of(names, behind), space).unread()).isEmpty();
  }

  @Test
  void tokensOfDifferentStreamsAreRefusedTogether() {
    HashSpace space = new HashSpace(4, 7);
    ResumeToken one = token(4, List.of(0, 1), 1, Cursor.START);
    for (ResumeToken other :
        List.of(
            new ResumeToken(2, "quotes", 0, 4, one.remaining(), List.of()),
            new ResumeToken(1, "trades", 0, 4, one.remaining(), List.of()),
            new ResumeToken(1, "quotes", 9, 4, one.remaining(), List.of()),
            new ResumeToken(1, "quotes", 0, 9, 4, one.remaining(), List.of()),
            new ResumeToken(1, "quotes", 0, 5, one.remaining(), List.of()))) {
      assertThatThrownBy(() -> ResumeToken.common(List.of(one, other), space))
          .isInstanceOf(ResumeTokenException.class)
          .hasMessageContaining("rails of one stream");
    }
  }

  private static ResumeToken token(int segments, List<Integer> open, int begun, Cursor cursor) {
    Remainder remaining = Remainder.none(segments);
    open.forEach(remaining.open()::set);
    if (!cursor.isStart()) {
      remaining.begun().put(begun, cursor);
    }
    return new ResumeToken(1, "quotes", ResumeToken.ALL_KEYS, segments, remaining, List.of());
  }
}
