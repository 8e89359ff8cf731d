package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {

  private static final List<String> KNOWN = List.of("headrace", "infinispan");

  @Test
  void everythingTakesPartUnlessSomethingIsNamed() {
    Options options = parse("--output", "a.json");
    assertThat(options.quick()).isFalse();
    assertThat(options.includes("headrace")).isTrue();
    assertThat(options.output()).isEqualTo(Path.of("a.json"));
  }

  @Test
  void onlyTakesSeveralSystemsUpToTheNextOption() {
    Options options = parse("--only", "infinispan", "headrace", "--quick", "--output", "a.json");
    assertThat(options.quick()).isTrue();
    assertThat(options.includes("headrace")).isTrue();
    assertThat(options.includes("infinispan")).isTrue();
    assertThat(options.includes("hazelcast")).isFalse();
  }

  @Test
  void anUnknownSystemIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> parse("--only", "redis", "--output", "a.json"))
        .hasMessageContaining("redis")
        .hasMessageContaining("infinispan");
  }

  @Test
  void onlyNeedsASystem() {
    assertThatThrownBy(() -> parse("--only", "--quick")).hasMessageContaining("--only needs");
  }

  @Test
  void aFullRunHasThreeRoundsUnlessOneAsksForOthers() {
    assertThat(parse("--output", "a.json").rounds()).isEqualTo(3);
    assertThat(parse("--quick", "--output", "a.json").rounds()).isEqualTo(1);
    assertThat(parse("--rounds", "2", "--output", "a.json").rounds()).isEqualTo(2);
    assertThat(Options.parse(new String[] {"--output", "a.json"}, KNOWN, 1).rounds()).isEqualTo(1);
    assertThatThrownBy(() -> parse("--rounds", "none")).hasMessageContaining("--rounds needs");
  }

  @Test
  void anUnknownArgumentIsRefused() {
    assertThatThrownBy(() -> parse("--fast")).hasMessageContaining("--fast");
  }

  @Test
  void theOutputIsNeeded() {
    assertThatThrownBy(() -> parse("--quick")).hasMessageContaining("--output");
  }

  private static Options parse(String... arguments) {
    return Options.parse(arguments, KNOWN);
  }
}
