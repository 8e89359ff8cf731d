package dev.headrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class DemoPartsTest {

  @Test
  void allAssignedCodePointsHaveNames() {
    Map<Integer, CodePoint> all = CodePoint.all();
    assertThat(all).hasSizeGreaterThan(140_000);
    assertThat(all.get((int) 'a'))
        .isEqualTo(new CodePoint("LATIN SMALL LETTER A", "BASIC_LATIN", "Latin", "Ll"));
    assertThat(all.get(0x1F600).category()).isEqualTo("So");
    assertThat(all.values()).noneMatch(codePoint -> codePoint.name().equals("null"));
    assertThat(all).doesNotContainKeys(0xD800, 0xE000);
  }

  @Test
  void categoriesAreUnicodesOwn() {
    Map<Integer, CodePoint> all = CodePoint.all();
    Map.of(
            (int) 'A', "Lu", (int) '1', "Nd", (int) ' ', "Zs", 0x0, "Cc", 0xAD, "Cf", (int) '(',
            "Ps", (int) '$', "Sc", 0xAB, "Pi", 0xBB, "Pf", 0x2029, "Zp")
        .forEach(
            (codePoint, category) ->
                assertThat(all.get(codePoint).category())
                    .as("U+%04X", codePoint)
                    .isEqualTo(category));
  }

  @Test
  void exactlyOnceHoldsOnlyIfEverythingComesOnce() {
    CodePoint a = new CodePoint("A", "", "", "");
    CodePoint b = new CodePoint("B", "", "", "");
    Map<Integer, CodePoint> source = Map.of(1, a, 2, b);

    ExactlyOnce check = new ExactlyOnce(source);
    check.received(Map.entry(2, b));
    assertThat(check.holds()).isFalse();
    assertThat(check.verdict()).isEqualTo("1 entries are missing, 0 came again, 0 are wrong");
    check.received(Map.entry(1, a));
    assertThat(check.holds()).isTrue();
    assertThat(check.verdict()).startsWith("all 2 entries arrived exactly once");
    check.received(Map.entry(1, a));
    assertThat(check.verdict()).isEqualTo("0 entries are missing, 1 came again, 0 are wrong");
    check.received(Map.entry(3, a));
    assertThat(check.verdict()).isEqualTo("0 entries are missing, 1 came again, 1 are wrong");
  }
}
