package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class MessageTest {

  @Test
  void survivesTheWayToAForkAndBack() {
    HarnessMessage message =
        HarnessMessage.of("failed")
            .with("cause", "a = b\nand 100 % more")
            .with("rates", new double[] {1.5, 2e9, 0})
            .with("threads", 4)
            .with("empty", new double[0]);

    HarnessMessage read = HarnessMessage.decode(message.encode());

    assertThat(message.encode()).doesNotContain("\n");
    assertThat(read.verb()).isEqualTo("failed");
    assertThat(read.text("cause")).isEqualTo("a = b\nand 100 % more");
    assertThat(read.numbers("rates")).containsExactly(1.5, 2e9, 0);
    assertThat(read.whole("threads")).isEqualTo(4);
    assertThat(read.numbers("empty")).isEmpty();
  }

  @Test
  void namesTheFieldsItHasWhenAskedForAnother() {
    assertThatThrownBy(() -> HarnessMessage.of("load").with("entries", 1).text("bytes"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes")
        .hasMessageContaining("entries");
  }
}
