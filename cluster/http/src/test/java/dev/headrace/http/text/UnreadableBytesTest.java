package dev.headrace.http.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codecs;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes and texts that are no value of a format. */
final class UnreadableBytesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set(int)                       | 00000002 00000001       | not in the order",
        "set(int)                       | 00000001 00000001       | not in the order",
        "set(string)                    | 02 6162 01 63           | not in the order",
        "map(int, byte)                 | 00000002 05 00000001 05 | not in the order",
        "map(string, byte)              | 01 61 05 01 61 06       | not in the order",
        "list(set(byte))                | 02 02 01                | not in the order",
        "list(int?)                     | 02 00000001             | 0 (null) or 1 before a value",
        "map(int, string?)              | 00000002 07 01 61       | 0 (null) or 1 before a value",
        "record Place(town string)      | 02 01 61                | 0 (null) or 1 before a value",
        "record Place(number int?)      | FF 00000001             | 0 (null) or 1 before a value",
        "optional(int)                  | 02 00000001             | 0 (null) or 1 before a value",
      })
  void bytesThatNoCodecReadsAreRefused(String format, String hex, String message) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    TextForm form = TextForm.of(format);
    assertThatThrownBy(() -> form.check(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "set(int)          | 00000001 00000002 FFFFFFFF | [1,2,-1]",
        "set(string)       | 01 63 02 6162              | ['c','ab']",
        "map(string, byte) | 01 61 06 01 62 05          | {'a':6,'b':5}",
      })
  void whatIsInTheOrderOfItsBytesIsText(String format, String hex, String json) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    TextForm form = TextForm.of(format);
    form.check(bytes);
    assertThat(form.text(bytes)).isEqualTo(json.replace('\'', '"'));
  }

  @Test
  void aNumberWithMoreDigitsThanMayBeReadIsNotWritten() {
    byte[] huge = new byte[1 << 20];
    Arrays.fill(huge, (byte) 0x55);
    byte[] decimal = huge.clone();
    decimal[0] = 4; // the scale
    for (TextForm form : new TextForm[] {TextForm.of("biginteger"), TextForm.of("bigdecimal")}) {
      assertThatThrownBy(() -> form.check(decimal))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("more than 4096 characters");
      assertThatThrownBy(() -> form.text(huge)).isInstanceOf(IllegalArgumentException.class);
    }
    BigInteger tooLong = BigInteger.TEN.pow(4096);
    assertThatThrownBy(() -> TextForm.of("biginteger").text(bytes(BigInteger.class, tooLong)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theLargestNumbersAreTextAndBack() {
    BigInteger integer = BigInteger.TEN.pow(4095).negate().add(BigInteger.ONE);
    TextForm integers = TextForm.of("biginteger");
    byte[] bytes = bytes(BigInteger.class, integer);
    assertThat(integers.parseText(integers.text(bytes))).isEqualTo(bytes);

    TextForm decimals = TextForm.of("bigdecimal");
    for (int scale : new int[] {-2_000_000_000, -5, 3, 2_000_000_000}) {
      byte[] scaled = bytes(BigDecimal.class, new BigDecimal(BigInteger.valueOf(-42), scale));
      String text = decimals.text(scaled);
      assertThat(text).hasSizeLessThan(20);
      assertThat(decimals.parseText(text)).as(text).isEqualTo(scaled);
    }
  }

  @Test
  void aPeriodOfTooManyDaysIsNoPeriod() {
    assertThatThrownBy(() -> TextForm.of("period").parseText("P2147483647W"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ISO 8601");
  }

  private static <T> byte[] bytes(Class<T> type, T value) {
    ByteOutput out = new ByteOutput();
    Codecs.of(type).encode(value, out);
    return out.toByteArray();
  }
}
