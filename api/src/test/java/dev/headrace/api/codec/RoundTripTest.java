package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class RoundTripTest {
  private enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "a constant with a body";
      }
    },
    BLUE
  }

  private record Point(int x, double y) {}

  private record Shape(
      String name,
      Point centre,
      Colour colour,
      UUID id,
      Instant made,
      Integer corners,
      boolean filled,
      char sign,
      long area) {}

  private record Nothing() {}

  @Property
  void stringsComeBack(@ForAll("text") String value) {
    assertComesBack(Codecs.string(), value);
  }

  @Property
  void byteArraysComeBack(@ForAll byte[] value) {
    for (ByteInput in : inputs(Codecs.bytes(), value)) {
      assertThat(Codecs.bytes().decode(in)).isEqualTo(value);
    }
  }

  @Property
  void numbersComeBack(
      @ForAll int i, @ForAll long l, @ForAll short s, @ForAll byte b, @ForAll double d) {
    assertComesBack(Codecs.of(Integer.class), i);
    assertComesBack(Codecs.of(Long.class), l);
    assertComesBack(Codecs.of(Short.class), s);
    assertComesBack(Codecs.of(Byte.class), b);
    assertComesBack(Codecs.of(Double.class), d);
  }

  @Property
  void smallThingsComeBack(
      @ForAll float f, @ForAll boolean b, @ForAll char c, @ForAll long high, @ForAll long low) {
    assertComesBack(Codecs.of(Float.class), f);
    assertComesBack(Codecs.of(Boolean.class), b);
    assertComesBack(Codecs.of(Character.class), c);
    assertComesBack(Codecs.of(UUID.class), new UUID(high, low));
  }

  @Property
  void instantsComeBack(@ForAll("instants") Instant value) {
    assertComesBack(Codecs.of(Instant.class), value);
  }

  @Property
  void enumsComeBack(@ForAll Colour value) {
    assertComesBack(Codecs.of(Colour.class), value);
    assertComesBack(Codecs.enumeration(Colour.class), value);
  }

  @Property
  void recordsComeBackWithNullsAndNestedRecords(@ForAll("shapes") Shape value) {
    assertComesBack(Codecs.of(Shape.class), value);
    assertComesBack(Codecs.record(Shape.class), value);
  }

  @Property(tries = 1)
  void recordsWithoutComponentsComeBack() {
    assertComesBack(Codecs.of(Nothing.class), new Nothing());
  }

  @Property
  void numbersOfVariableSizeComeBack(@ForAll("bits") long value) {
    ByteOutput out = new ByteOutput();
    out.writeVarInt((int) value);
    assertThat(out.size()).isEqualTo(ByteOutput.varIntBytes((int) value));
    int intBytes = out.size();
    out.writeVarLong(value);
    assertThat(out.size() - intBytes).isEqualTo(ByteOutput.varLongBytes(value));

    ByteInput in = ByteInput.of(out.toByteArray());
    assertThat(in.readVarInt()).isEqualTo((int) value);
    assertThat(in.readVarLong()).isEqualTo(value);
    assertThat(in.remaining()).isZero();
  }

  @Property
  void sizedValuesComeBackOneAfterTheOther(@ForAll("text") String first, @ForAll byte[] second) {
    ByteOutput out = new ByteOutput(16);
    out.writeSized(Codecs.string(), first);
    out.writeSized(Codecs.bytes(), second);

    ByteInput in = ByteInput.of(out.toByteArray());
    assertThat(in.readSized(Codecs.string())).isEqualTo(first);
    assertThat(in.readSized(Codecs.bytes())).isEqualTo(second);
    assertThat(in.remaining()).isZero();
  }

  @Property
  void stringsAreEncodedAsTheJdkDoes(@ForAll("text") String value) {
    assertThat(encode(Codecs.string(), value)).isEqualTo(value.getBytes(StandardCharsets.UTF_8));
  }

  @Provide
  Arbitrary<String> text() {
    Arbitrary<String> ascii = Arbitraries.strings().ascii().ofMaxLength(300);
    Arbitrary<String> any =
        Arbitraries.integers()
            .between(0, Character.MAX_CODE_POINT)
            .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
            .map(Character::toString)
            .list()
            .ofMaxSize(80)
            .map(parts -> String.join("", parts));
    Arbitrary<String> replaced = Arbitraries.strings().withChars('\uFFFD', 'a', 'é').ofMaxLength(9);
    return Arbitraries.oneOf(ascii, any, replaced);
  }

  @Provide
  Arbitrary<Long> bits() {
    return Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 63))
        .as((value, shift) -> value >>> shift);
  }

  @Provide
  Arbitrary<Instant> instants() {
    return Combinators.combine(
            Arbitraries.longs().between(Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond()),
            Arbitraries.integers().between(0, 999_999_999))
        .as(Instant::ofEpochSecond);
  }

  @Provide
  Arbitrary<Shape> shapes() {
    return Combinators.combine(
            text().injectNull(0.2),
            Combinators.combine(Arbitraries.integers(), Arbitraries.doubles())
                .as(Point::new)
                .injectNull(0.2),
            Arbitraries.of(Colour.class).injectNull(0.2),
            Arbitraries.create(UUID::randomUUID).injectNull(0.2),
            instants().injectNull(0.2),
            Arbitraries.integers().injectNull(0.2),
            Arbitraries.of(true, false),
            Arbitraries.longs())
        .as(
            (name, centre, colour, id, made, corners, filled, area) ->
                new Shape(name, centre, colour, id, made, corners, filled, '§', area));
  }

  private static <T> void assertComesBack(Codec<T> codec, T value) {
    for (ByteInput in : inputs(codec, value)) {
      assertThat(codec.decode(in)).isEqualTo(value);
      assertThat(in.remaining()).isZero();
    }
  }

  /** The encoded value in the middle of a heap, a read-only and a direct buffer. */
  private static <T> List<ByteInput> inputs(Codec<T> codec, T value) {
    byte[] bytes = encode(codec, value);
    ByteBuffer heap = ByteBuffer.allocate(bytes.length + 7);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 7);
    for (ByteBuffer buffer : List.of(heap, direct)) {
      buffer.put(3, bytes);
    }
    return List.of(
        region(heap, bytes.length),
        region(heap.slice(1, heap.capacity() - 1).position(2).slice().position(0), 0, bytes.length),
        region(heap.asReadOnlyBuffer(), bytes.length),
        region(direct.order(ByteOrder.LITTLE_ENDIAN), bytes.length));
  }

  private static ByteInput region(ByteBuffer buffer, int lengthBytes) {
    return region(buffer, 3, lengthBytes);
  }

  private static ByteInput region(ByteBuffer buffer, int position, int lengthBytes) {
    ByteInput in = new ByteInput();
    in.reset(buffer, position, position + lengthBytes);
    return in;
  }

  private static <T> byte[] encode(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }
}
