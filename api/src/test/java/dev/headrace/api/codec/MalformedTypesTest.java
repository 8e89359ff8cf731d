package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Bytes that are no value of an everyday type: an error that says so, and nothing large made. */
final class MalformedTypesTest {
  private sealed interface Shape permits Circle, Box {}

  private record Circle(double radius) implements Shape {}

  private record Box(BigDecimal width, List<Circle> holes) implements Shape {}

  private static final List<Codec<?>> CODECS =
      List.of(
          Codecs.of(BigInteger.class),
          Codecs.of(BigDecimal.class),
          Codecs.of(LocalDate.class),
          Codecs.of(LocalTime.class),
          Codecs.of(LocalDateTime.class),
          Codecs.of(OffsetDateTime.class),
          Codecs.of(ZonedDateTime.class),
          Codecs.of(Duration.class),
          Codecs.of(Period.class),
          Codecs.of(Year.class),
          Codecs.of(URI.class),
          Codecs.of(int[].class),
          Codecs.of(boolean[].class),
          Codecs.of(String[].class),
          Codecs.of(Shape.class),
          Codecs.list(Codecs.list(Codecs.string())),
          Codecs.set(Codecs.of(Year.class)),
          Codecs.map(Codecs.string(), Codecs.set(Codecs.of(int.class))),
          Codecs.optional(Codecs.of(Shape.class)));

  @Property
  void anyBytesAreAValueOrATypedError(@ForAll @Size(max = 40) byte[] bytes) {
    for (Codec<?> codec : CODECS) {
      assertValueOrError(codec, bytes);
    }
  }

  /** Small numbers are likely lengths and choices, so that more of the bytes are understood. */
  @Property
  void anySmallNumbersAreAValueOrATypedError(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = new byte[random.nextInt(30)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(4));
    }
    for (Codec<?> codec : CODECS) {
      assertValueOrError(codec, bytes);
    }
  }

  private static <T> void assertValueOrError(Codec<T> codec, byte[] bytes) {
    T value;
    try {
      value = codec.decode(ByteInput.of(bytes));
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageMatching("(?s).+");
      return;
    }
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    ByteOutput again = new ByteOutput();
    codec.encode(codec.decode(ByteInput.of(out.toByteArray())), again);
    assertThat(again.toByteArray()).isEqualTo(out.toByteArray());
  }

  private static void assertRefused(Codec<?> codec, String hex, String message) {
    assertThatThrownBy(() -> codec.decode(ByteInput.of(HexFormat.of().parseHex(hex))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aNumberInMoreBytesThanItNeedsIsRefused() {
    assertRefused(Codecs.of(BigInteger.class), "0001", "more bytes than it needs");
    assertRefused(Codecs.of(BigInteger.class), "ff80", "more bytes than it needs");
    assertRefused(Codecs.of(BigInteger.class), "00".repeat(20), "more bytes than it needs");
    assertRefused(Codecs.of(BigDecimal.class), "02 0001".replace(" ", ""), "more bytes than");
    assertRefused(Codecs.of(BigInteger.class), "", "end early");
  }

  @Test
  void datesAndTimesThatDoNotExistAreRefused() {
    assertRefused(Codecs.of(LocalDate.class), "ffffffffff", "The bytes are no date: ");
    assertRefused(Codecs.of(LocalTime.class), "ffffffffffff", "The bytes are no time: ");
    assertRefused(Codecs.of(Year.class), "00000000", "The bytes are no year: ");
    assertRefused(
        Codecs.of(Duration.class), "8000000000000000 3b9aca00".replace(" ", ""), "1000000000 ns");
    assertRefused(
        Codecs.of(OffsetDateTime.class),
        "8000000000 000000000000 ffffff".replace(" ", ""),
        "no offset");
    assertRefused(
        Codecs.of(ZonedDateTime.class),
        "8000000000 000000000000 00fd20 21".replace(" ", ""),
        "The bytes are no zoneddatetime: ");
    assertRefused(
        Codecs.of(ZonedDateTime.class),
        "8000000000 000000000000 00fd20".replace(" ", "") + "41".repeat(200),
        "at most 128");
    assertRefused(Codecs.of(URI.class), "3a", "The bytes are no uri: ");
  }

  @Test
  void elementsThatEndEarlyAreRefusedBeforeAnyIsMade() {
    assertRefused(Codecs.list(Codecs.of(int.class)), "0000000100", "1 bytes are left over");
    assertRefused(Codecs.of(long[].class), "00000001", "4 bytes are left over");
    assertRefused(Codecs.list(Codecs.string()), "0161ffffffff07", "end early");
    assertRefused(Codecs.optional(Codecs.string()), "0061", "1 bytes are left over");
    assertRefused(Codecs.optional(Codecs.string()), "02", "but there is 2");
  }

  @Test
  void setsAndMapsInAnotherOrderOrWithOneTwiceAreRefused() {
    assertRefused(Codecs.set(Codecs.string()), "01620161", "are not in order");
    assertRefused(Codecs.set(Codecs.string()), "01610161", "are not in order");
    assertRefused(
        Codecs.map(Codecs.string(), Codecs.string()), "01620001610178", "are not in order");
  }

  @Test
  void aChoiceThatDoesNotExistIsRefused() {
    assertRefused(Codecs.of(Shape.class), "02", "There is no class 2");
    assertRefused(Codecs.of(Shape.class), "ffffffff0f", "There is no class -1");
  }

  /** As its equals is not that of its bytes, two of them may be different and look alike. */
  private static final class Odd {}

  private static final Codec<Odd> ODD =
      new Codec<>() {
        @Override
        public String format() {
          return "odd";
        }

        @Override
        public void encode(Odd value, ByteOutput out) {
          out.writeByte(1);
        }

        @Override
        public Odd decode(ByteInput in) {
          in.skip(in.remaining());
          return new Odd();
        }
      };

  @Test
  void elementsThatWouldNotComeBackAreNotWritten() {
    ByteOutput out = new ByteOutput();
    Odd one = new Odd();
    Odd other = new Odd();
    assertThatThrownBy(() -> Codecs.set(ODD).encode(Set.of(one, other), out))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("have the same bytes");
    Set<Odd> many = Stream.generate(Odd::new).limit(40).collect(Collectors.toSet());
    assertThatThrownBy(() -> Codecs.set(ODD).encode(many, out))
        .hasMessageContaining("have the same bytes");
    assertThatThrownBy(
            () -> Codecs.map(ODD, Codecs.string()).encode(Map.of(one, "a", other, "b"), out))
        .hasMessageContaining("have the same bytes");
  }

  @Test
  void aMillionElementsTakeNoMoreThanTheirBytesAllow() {
    byte[] empty = new byte[1_000_000];
    assertThat(Codecs.list(Codecs.string()).decode(ByteInput.of(empty))).hasSize(1_000_000);
    List<Byte> bytes = new ArrayList<>();
    for (byte each : Arrays.copyOf(empty, 100)) {
      bytes.add(each);
    }
    assertThat(Codecs.list(Codecs.of(byte.class)).decode(ByteInput.of(new byte[100])))
        .isEqualTo(bytes);
  }
}
