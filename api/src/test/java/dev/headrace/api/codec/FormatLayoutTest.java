package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.CodecLayout.Composite;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layouts that are read from formats. */
final class FormatLayoutTest {

  /** A constant of it is a component. */
  public enum Side {
    BUY,
    SELL
  }

  /** A record within another. */
  public record Person(String name, @Nullable Integer age) {}

  /** A component of each kind. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Trade(
      byte a,
      short b,
      int c,
      long d,
      char e,
      boolean f,
      float g,
      double h,
      @Nullable Double i,
      UUID j,
      Instant k,
      String l,
      byte[] m,
      Side n,
      Person o,
      LocalDate p,
      @Nullable LocalDateTime q,
      OffsetDateTime r,
      Duration s,
      BigDecimal t,
      List<Person> u,
      Map<String, List<Integer>> v,
      Optional<URI> w,
      Year x) {}

  @ParameterizedTest
  @ValueSource(
      classes = {
        String.class, byte[].class, Byte.class, Short.class, Integer.class, Long.class,
        Character.class, Boolean.class, Float.class, Double.class, UUID.class, Instant.class,
        Side.class, Person.class, Trade.class, LocalDate.class, LocalTime.class, Duration.class,
        Year.class, OffsetDateTime.class, ZonedDateTime.class, BigDecimal.class, int[].class
      })
  void theLayoutOfAFormatIsThatOfItsCodec(Class<?> type) {
    Codec<?> codec = Codecs.of(type);
    assertSame(CodecLayout.ofFormat(codec.format()), CodecLayout.of(codec));
    assertSame(CodecLayout.of(Codecs.encoded(codec.format())), CodecLayout.of(codec));
  }

  private static void assertSame(CodecLayout read, CodecLayout expected) {
    if (!(expected instanceof Composite record)) {
      assertThat(read).isEqualTo(expected);
      return;
    }
    Composite found = (Composite) read;
    assertThat(found.name()).isEqualTo(record.name());
    assertThat(found.components()).hasSameSizeAs(record.components());
    for (int i = 0; i < found.components().size(); i++) {
      CodecLayout.Component component = found.components().get(i);
      CodecLayout.Component other = record.components().get(i);
      assertThat(component.name()).isEqualTo(other.name());
      assertThat(component.nullable()).as(other.name()).isEqualTo(other.nullable());
      assertThat(component.sizeBytes()).as(other.name()).isEqualTo(other.sizeBytes());
      assertThat(component.codec().format()).isEqualTo(other.codec().format());
      assertSame(component.layout(), other.layout());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "strings",
        "record",
        "record ",
        "record A",
        "record A(",
        "record A(a)",
        "record A(a int",
        "record A(a int,b int)",
        "record A(a int) ",
        "enum",
        "enum ",
        "int?",
        "json",
        "json Order",
        "json List(Order)",
        "json ",
        "record A(a json)",
        "record A(a json B()",
        "list int"
      })
  void whatIsNoBuiltInFormatIsOpaque(String format) {
    assertThat(CodecLayout.ofFormat(format)).isEqualTo(new CodecLayout.Opaque(format, 0));
  }

  @Test
  void aFormatThatIsNestedTooDeepIsOpaque() {
    String deep = "record A(a ".repeat(100) + "int" + ")".repeat(100);
    assertThat(CodecLayout.ofFormat(deep)).isInstanceOf(CodecLayout.Opaque.class);
  }

  @Test
  void componentsBesideJsonAreFound() {
    CodecLayout layout = CodecLayout.ofFormat("record A(a json Map(String, B), b json C, c int?)");
    assertThat(layout)
        .isInstanceOfSatisfying(
            Composite.class,
            record -> {
              assertThat(record.components())
                  .extracting(CodecLayout.Component::layout)
                  .containsExactly(
                      new CodecLayout.Opaque("json Map(String, B)", 0),
                      new CodecLayout.Opaque("json C", 0),
                      CodecLayout.Scalar.INT);
              assertThat(record.components())
                  .extracting(CodecLayout.Component::nullable)
                  .containsOnly(true);
            });
  }

  @Test
  void encodedValuesAreTheirBytes() {
    FormatCodec<byte[]> codec = Codecs.encoded("int");
    assertThat(codec.format()).isEqualTo("int");
    ByteOutput out = new ByteOutput();
    codec.encode(new byte[] {1, 2}, out);
    assertThat(codec.decode(ByteInput.of(out.toByteArray()))).containsExactly(1, 2);
  }
}
