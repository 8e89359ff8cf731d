package dev.headrace.rebalance.placement.locator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.LocatorException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LocatorNodesTest {

  @ParameterizedTest
  @ValueSource(
      doubles = {0, -0.0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void aWeightMustBePositiveAndFinite(double weight) {
    assertThatThrownBy(() -> new LocatorNode("a:1", weight))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("weight of node a:1 is " + weight)
        .hasMessageContaining("positive number");
  }

  @Test
  void aNodeMustHaveAName() {
    assertThatThrownBy(() -> new LocatorNode("", 1))
        .isInstanceOf(LocatorException.class)
        .hasMessageContaining("name it by its address");
  }

  @Test
  void aNodeThatDoesNotSayWeighsOne() {
    assertThat(new LocatorNode("a:1").weight()).isEqualTo(1);
  }
}
