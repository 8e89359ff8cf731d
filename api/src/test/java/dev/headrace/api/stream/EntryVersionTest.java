package dev.headrace.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryVersionTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 35, 1L << 40, Long.MAX_VALUE})
  void aVersionIsFoundInItsText(long number) {
    EntryVersion version = new EntryVersion(number, number);
    assertThat(EntryVersion.parse(version.toString())).isEqualTo(version);
    assertThat(version.toString()).matches("[0-9a-z]+-[0-9a-z]+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", "1", "1-", "-1", "1-0", "1-2-3", "1--2", "\u00e4-1", "zzzzzzzzzzzzzzz-1"})
  void aTextThatIsNoVersionIsRefused(String text) {
    assertThatThrownBy(() -> EntryVersion.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void noEntryHasTheVersionOfAnAbsentOne() {
    assertThatThrownBy(() -> new EntryVersion(0, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
