package dev.headrace.api.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class MalformedBytesTest {
  private enum Colour {
    RED,
    BLUE
  }

  private record Range(int from, int to, String name) {
    Range {
      if (from > to) {
        throw new IllegalArgumentException("from is after to");
      }
    }
  }

  @Test
  void aNumberOfTheWrongSizeIsRefused() {
    assertThatThrownBy(() -> Codecs.of(Integer.class).decode(ByteInput.of(new byte[3])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A value of format \"int\" has 4 bytes, but there are 3");
    assertThatThrownBy(() -> Codecs.of(Long.class).decode(ByteInput.of(new byte[9])))
        .hasMessage("A value of format \"long\" has 8 bytes, but there are 9");
    assertThatThrownBy(() -> Codecs.of(UUID.class).decode(ByteInput.of(new byte[0])))
        .hasMessage("A value of format \"uuid\" has 16 bytes, but there are 0");
  }

  @Test
  void aBooleanIsZeroOrOne() {
    assertThatThrownBy(() -> Codecs.of(Boolean.class).decode(ByteInput.of(new byte[] {2})))
        .hasMessage("A boolean is 0 or 1, but there is 2");
  }

  @Test
  void anInstantHasLessThanABillionNanoseconds() {
    ByteOutput out = new ByteOutput();
    out.writeLong(0);
    out.writeInt(1_000_000_000);
    assertThatThrownBy(() -> Codecs.of(Instant.class).decode(ByteInput.of(out.toByteArray())))
        .hasMessage("There is no instant with 0 s and 1000000000 ns");
  }

  @Test
  void bytesThatAreNotUtf8AreRefusedOnTheHeapAndOffIt() {
    for (byte[] bytes :
        new byte[][] {
          {(byte) 0xFF},
          {'a', (byte) 0xC3},
          {(byte) 0xC0, (byte) 0x80},
          {(byte) 0xED, (byte) 0xA0, (byte) 0x80}
        }) {
      ByteInput direct = new ByteInput();
      ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
      direct.reset(buffer, 0, bytes.length);
      for (ByteInput in : new ByteInput[] {ByteInput.of(bytes), direct}) {
        assertThatThrownBy(() -> Codecs.string().decode(in))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("A string's " + bytes.length + " bytes are not UTF-8");
      }
    }
  }

  @Test
  void halfASurrogatePairIsNotEncodedAsSomethingElse() {
    for (String text : new String[] {"\uD800", "ab\uDC00", "é\uD83D", "\uD83Dé"}) {
      assertThatThrownBy(() -> Codecs.string().encode(text, new ByteOutput()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("half of a surrogate pair")
          .hasMessageContaining("index");
    }
  }

  @Test
  void anUnknownConstantIsNamed() {
    ByteInput in = ByteInput.of("GREEN".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> Codecs.of(Colour.class).decode(in))
        .hasMessage("There is no constant \"GREEN\" in enum Colour");
  }

  @Test
  void aRecordThatEndsEarlyOrLateIsRefused() {
    Codec<Range> codec = Codecs.of(Range.class);
    ByteOutput out = new ByteOutput();
    codec.encode(new Range(1, 2, "ab"), out);
    byte[] whole = out.toByteArray();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> codec.decode(ByteInput.of(cut)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("end early");
    }
    assertThatThrownBy(() -> codec.decode(ByteInput.of(Arrays.copyOf(whole, whole.length + 1))))
        .hasMessageStartingWith("1 bytes are left over after a value of format \"record Range(");
  }

  @Test
  void aRecordsOwnChecksApplyToDecodedBytes() {
    ByteOutput out = new ByteOutput();
    out.writeInt(2);
    out.writeInt(1);
    out.writeByte(0);
    assertThatThrownBy(() -> Codecs.of(Range.class).decode(ByteInput.of(out.toByteArray())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("from is after to");
  }

  @Test
  void aForgedPresenceByteIsRefused() {
    ByteOutput out = new ByteOutput();
    out.writeInt(1);
    out.writeInt(2);
    out.writeByte(7);
    assertThatThrownBy(() -> Codecs.of(Range.class).decode(ByteInput.of(out.toByteArray())))
        .hasMessageContaining("Component \"name\"")
        .hasMessageContaining("but there is 7");
  }

  @Test
  void aForgedLengthIsRefusedBeforeAnythingIsAllocated() {
    ByteOutput out = new ByteOutput();
    out.writeVarInt(Integer.MAX_VALUE);
    assertThatThrownBy(() -> ByteInput.of(out.toByteArray()).readSized(Codecs.bytes()))
        .hasMessage("The bytes end early: 2147483647 more are needed, but 0 are left");
    ByteOutput negative = new ByteOutput();
    negative.writeVarInt(-1);
    assertThatThrownBy(() -> ByteInput.of(negative.toByteArray()).readSized(Codecs.bytes()))
        .hasMessage("A length is negative: -1");
  }

  @Test
  void aNumberOfTooManyBytesIsRefused() {
    byte[] endless = new byte[11];
    Arrays.fill(endless, (byte) 0xFF);
    assertThatThrownBy(() -> ByteInput.of(endless).readVarInt()).hasMessageContaining("32 bits");
    assertThatThrownBy(() -> ByteInput.of(endless).readVarLong()).hasMessageContaining("64 bits");
    byte[] tooLarge = {-1, -1, -1, -1, 0x10};
    assertThatThrownBy(() -> ByteInput.of(tooLarge).readVarInt()).hasMessageContaining("32 bits");
  }

  @Test
  void aRegionOutsideItsBufferIsRefused() {
    ByteInput in = new ByteInput();
    ByteBuffer buffer = ByteBuffer.allocate(8);
    assertThatThrownBy(() -> in.reset(buffer, 0, 9)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> in.reset(buffer, 5, 4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> in.reset(buffer, -1, 4)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(in::readByte).hasMessageContaining("end early");
  }

  @Property
  void anyBytesAreAValueOrARuntimeException(@ForAll @Size(max = 64) byte[] bytes) {
    Codec<Range> codec = Codecs.of(Range.class);
    Range value;
    try {
      value = codec.decode(ByteInput.of(bytes));
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageMatching("(?s).+");
      return;
    }
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    assertThat(codec.decode(ByteInput.of(out.toByteArray()))).isEqualTo(value);
  }
}
