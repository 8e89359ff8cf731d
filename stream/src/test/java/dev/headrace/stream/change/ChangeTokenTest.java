package dev.headrace.stream.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.stream.change.ChangeToken.Place;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChangeTokenTest {

  @Test
  void aTokenIsReadAsItWasWritten() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 500; i++) {
      List<Place> places = new ArrayList<>();
      for (int segment = 0; segment < 40; segment++) {
        if (random.nextInt(4) > 0) {
          places.add(place(random, segment));
        }
      }
      ChangeToken token = new ChangeToken(random.nextLong(), "prices", 40, places);
      assertThat(ChangeToken.parse(token.encode())).isEqualTo(token);
    }
  }

  private static Place place(SplittableRandom random, int segment) {
    long next = 1 + (random.nextLong() >>> (2 + random.nextInt(60)));
    long term = random.nextInt(3) - 1L;
    return switch (random.nextInt(4)) {
      case 0 -> new Place(segment, 0, 0, -1, null);
      case 1 -> new Place(segment, 1, 0, -1, Cursor.START);
      case 2 -> new Place(segment, 0, next, term, Cursor.after(random.nextLong(), new byte[3]));
      default -> new Place(segment, 0, next, term, null);
    };
  }

  /** Keys are spread by their hashes, so that changes are, too, about as by Poisson's law. */
  private static String tokenOf(int segments, int changesOfEach) {
    Random random = new Random(1);
    List<Place> places = new ArrayList<>();
    for (int segment = 0; segment < segments; segment++) {
      long changes = Math.round(changesOfEach + Math.sqrt(changesOfEach) * random.nextGaussian());
      places.add(new Place(segment, 0, changes, (7L << 40) + 12, null));
    }
    ChangeToken token = new ChangeToken(1, "prices", segments, places);
    assertThat(ChangeToken.parse(token.encode())).isEqualTo(token);
    return token.encode();
  }

  @Test
  void aTokenOf256SegmentsIsBelowAKilobyte() {
    assertThat(tokenOf(256, 1_000)).hasSizeLessThan(450);
    assertThat(tokenOf(256, 100_000_000)).hasSizeLessThan(1_024);
  }

  @Test
  void aTokenOf10000SegmentsHasAboutABytePerSegment() {
    assertThat(tokenOf(10_000, 1_000)).hasSizeLessThan(14_000);
    assertThat(tokenOf(10_000, 100_000)).hasSizeLessThan(22_000);
  }

  @Test
  void whatIsNoTokenIsRefused() {
    String token = new ChangeToken(1, "prices", 2, List.of(new Place(0, 0, 7, 1, null))).encode();
    assertThatThrownBy(() -> ChangeToken.parse("")).isInstanceOf(ResumeTokenException.class);
    assertThatThrownBy(() -> ChangeToken.parse(token + "A"))
        .isInstanceOf(ResumeTokenException.class);
    byte[] bytes = Base64.getUrlDecoder().decode(token);
    for (int at = 0; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(damaged);
      assertThatThrownBy(() -> ChangeToken.parse(text)).isInstanceOf(ResumeTokenException.class);
    }
  }
}
