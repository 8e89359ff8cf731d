package dev.headrace.rebalance.placement.hash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.error.LocatorException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

final class KeyHashersTest {

  private static final int LONGEST = 1200; // longer than any buffer
  private static final List<KeyHasher> ALL =
      List.of(new Md5Hasher(), new Murmur3Hasher(), new Xxh3Hasher(5), new Fnv1aHasher());

  private final Random random = new Random(11);

  @Test
  void md5IsTheFirstWordOfTheDigestAtAnyLength() throws NoSuchAlgorithmException {
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    assertIs(
        new Md5Hasher(),
        key ->
            ByteBuffer.wrap(md5.digest(key)).order(ByteOrder.LITTLE_ENDIAN).getInt()
                & 0xffff_ffffL);
  }

  @Test
  void murmur3IsTheLibrarysAtAnyLength() {
    assertIs(new Murmur3Hasher(), Hashing.murmur3_128()::hashBytesToLong);
  }

  @Test
  void xxh3IsTheLibrarysAtAnyLengthAndSeed() {
    for (int i = 0; i < 20; i++) {
      long seed = random.nextLong();
      assertIs(new Xxh3Hasher(seed), Hashing.xxh3_64(seed)::hashBytesToLong);
    }
  }

  @Test
  void fnv1aIsThatOfThePublishedExamples() {
    KeyHasher fnv1a = new Fnv1aHasher();

    assertThat(fnv1a.hash("")).isEqualTo(0xcbf29ce484222325L);
    assertThat(fnv1a.hash("a")).isEqualTo(0xaf63dc4c8601ec8cL);
    assertThat(fnv1a.hash("foobar")).isEqualTo(0x85944171f73967e8L);
  }

  @Test
  void aTextHasTheHashOfItsUtf8Bytes() {
    for (String text :
        List.of("", "a", "abcd", "schön", "ключ", "鍵鍵鍵鍵鍵鍵", "🔑key", "Ł".repeat(2000))) {
      byte[] bytes = text.getBytes(UTF_8);
      for (KeyHasher hasher : ALL) {
        assertThat(hasher.hash(text)).isEqualTo(hasher.hash(bytes, 0, bytes.length));
        assertThat(hasher.hash(CharBuffer.wrap(text))).isEqualTo(hasher.hash(text));
      }
    }
  }

  @Test
  void onlyTheRegionCounts() {
    byte[] bytes = "--the key--".getBytes(UTF_8);
    for (KeyHasher hasher : ALL) {
      assertThat(hasher.hash(bytes, 2, 7)).isEqualTo(hasher.hash("the key"));
      assertThat(new String(bytes, UTF_8)).isEqualTo("--the key--");
      assertThatThrownBy(() -> hasher.hash(bytes, 5, 7))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aMissingKeyIsNamed() {
    for (KeyHasher hasher : ALL) {
      assertThatThrownBy(() -> hasher.hash(null))
          .isInstanceOf(LocatorException.class)
          .hasMessageContaining("key is null");
      assertThatThrownBy(() -> hasher.hash(null, 0, 0))
          .isInstanceOf(LocatorException.class)
          .hasMessageContaining("key is null");
    }
  }

  private void assertIs(KeyHasher hasher, ToLongFunction<byte[]> expected) {
    for (int length = 0; length <= LONGEST; length += length < 200 ? 1 : 37) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      assertThat(hasher.hash(key, 0, length)).isEqualTo(expected.applyAsLong(key));

      StringBuilder text = new StringBuilder();
      random.ints(length, 0, 128).forEach(c -> text.append((char) c));
      byte[] ascii = text.toString().getBytes(UTF_8);
      assertThat(hasher.hash(text)).isEqualTo(expected.applyAsLong(ascii));
    }
  }
}
