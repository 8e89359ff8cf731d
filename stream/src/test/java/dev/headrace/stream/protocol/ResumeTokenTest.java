package dev.headrace.stream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.protocol.ResumeToken.UnreadKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a token keeps, and which tokens are refused. */
class ResumeTokenTest {

  @Test
  void aTokenKeepsWhatRemains() {
    Random random = new Random(5);
    for (int round = 0; round < 200; round++) {
      int segments = 1 + random.nextInt(300);
      Progress progress = new Progress(segments);
      for (int s = 0; s < segments; s++) {
        if (random.nextInt(4) > 0) {
          progress.add(s, random.nextInt(3), cursor(random));
        }
      }
      ResumeToken token =
          ResumeToken.of(
              random.nextLong(),
              "quotes-ä",
              random.nextInt(3) * random.nextLong(),
              progress,
              unread(random, segments));
      String text = token.encode();
      assertThat(text).matches("[A-Za-z0-9_-]+");
      assertThat(ResumeToken.parse(text))
          .usingRecursiveComparison()
          .withStrictTypeChecking()
          .isEqualTo(token);
    }
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
    return switch (random.nextInt(3)) {
      case 0 -> Cursor.START;
      case 1 -> Cursor.after(random.nextLong());
      default -> Cursor.after(random.nextLong(), new byte[random.nextInt(20)]);
    };
  }

  @Test
  void aTokenOfSegmentsNotBegunIsShort() {
    Progress progress = new Progress(1 << 20);
    for (int s = 0; s < 1 << 20; s++) {
      progress.add(s, 0, Cursor.START);
    }
    assertThat(
            ResumeToken.of(1, "quotes", ResumeToken.ALL_KEYS, progress, List.of())
                .encode()
                .length())
        .isLessThan(60);
  }

  @Test
  void everyDamageIsNoticed() {
    Progress progress = new Progress(64);
    progress.add(3, 1, Cursor.after(77));
    progress.add(9, 0, Cursor.after(78, new byte[] {1, 2}));
    String good = ResumeToken.of(12, "quotes", ResumeToken.ALL_KEYS, progress, List.of()).encode();
    for (int i = 0; i < good.length(); i++) {
      char other = good.charAt(i) == 'A' ? 'B' : 'A';
      refused(good.substring(0, i) + other + good.substring(i + 1));
      refused(good.substring(0, i));
    }
    refused(good + "AAAA");
    refused("");
    refused("not a token!");
    refused("A".repeat(ResumeToken.MAX_CHARS + 1));
  }

  private static void refused(String text) {
    assertThatThrownBy(() -> ResumeToken.parse(text))
        .isInstanceOf(ResumeTokenException.class)
        .hasMessageContaining("damaged");
  }
}
