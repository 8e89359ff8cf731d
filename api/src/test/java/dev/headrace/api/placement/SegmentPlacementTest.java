package dev.headrace.api.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.PlacementException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SegmentPlacementTest {

  private static final PlacementRule RULE = (segments, owners, nodes) -> new int[segments][owners];

  @ParameterizedTest
  @EnumSource(PlacementKind.class)
  void everyKindIsFoundByItsName(PlacementKind kind) {
    SegmentPlacement placement = SegmentPlacement.named(kind.toString());
    assertThat(placement).isEqualTo(SegmentPlacement.of(kind));
    assertThat(placement.name()).isEqualTo(kind.toString());
  }

  @Test
  void aBoundIsPartOfTheNameHoweverItIsWritten() {
    SegmentPlacement bounded = SegmentPlacement.of(PlacementKind.MAGLEV, 1.25);
    assertThat(bounded.name()).isEqualTo("maglev:1.25");
    assertThat(SegmentPlacement.named("maglev:1.250")).isEqualTo(bounded);
    assertThat(SegmentPlacement.named("ketama-md5:2").name()).isEqualTo("ketama-md5:2");
    assertThat(SegmentPlacement.named("jump:10").name()).isEqualTo("jump:10");
  }

  @Test
  void theDefaultIsLevelledRendezvous() {
    assertThat(NodeSettings.defaults().placement()).isEqualTo(SegmentPlacement.LEVELLED_RENDEZVOUS);
    assertThat(NodeSettings.defaults().placement().name()).isEqualTo("levelled-rendezvous");
  }

  @Test
  void settingsTakeANameOrARule() {
    NodeSettings named = NodeSettings.builder().placement("ketama-xxh3").build();
    assertThat(named.placement()).isEqualTo(SegmentPlacement.of(PlacementKind.KETAMA_XXH3));
    NodeSettings own = NodeSettings.builder().placement("by-moon", RULE).build();
    assertThat(own.placement()).isEqualTo(new CustomPlacement("by-moon", RULE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ketama", "KETAMA-MD5", "maglev ", "by-moon", ":1.25"})
  void anUnknownNameListsAll(String name) {
    assertThatThrownBy(() -> NodeSettings.builder().placement(name))
        .isInstanceOf(PlacementException.class)
        .hasMessageContaining("There is no placement")
        .hasMessageContaining("levelled-rendezvous, ketama-md5,")
        .hasMessageContaining("SegmentPlacement.custom");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.99", "0", "-1", "NaN", "1000.5", "Infinity", "", "much", "1,25"})
  void aBoundThatIsNoneSaysWhatOneIs(String bound) {
    assertThatThrownBy(() -> SegmentPlacement.named("maglev:" + bound))
        .isInstanceOf(PlacementException.class)
        .hasMessageContaining("The bound of placement maglev is ")
        .hasMessageContaining("from 1 to 1000, such as maglev:1.25");
  }

  @Test
  void theDefaultTakesNoBound() {
    assertThatThrownBy(() -> SegmentPlacement.of(PlacementKind.LEVELLED_RENDEZVOUS, 1.25))
        .isInstanceOf(PlacementException.class)
        .hasMessageContaining("leave the bound out");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "by moon", "moon:1.25", "möon", "maglev", "levelled-rendezvous"})
  void aRuleNeedsANameOfItsOwn(String name) {
    assertThatThrownBy(() -> SegmentPlacement.custom(name, RULE))
        .isInstanceOf(PlacementException.class)
        .hasMessageContaining('"' + name + '"');
  }

  @Test
  void nothingIsNoPlacement() {
    assertNull("placement", builder -> builder.placement((SegmentPlacement) null));
    assertNull("placement's name", builder -> builder.placement((String) null));
    assertNull("placement's name", builder -> builder.placement(null, RULE));
    assertNull("placement's rule", builder -> builder.placement("by-moon", null));
  }

  @SuppressWarnings("NullAway") // what a caller without null checks may do
  private static void assertNull(String what, Consumer<NodeSettings.Builder> wrong) {
    assertThatThrownBy(() -> wrong.accept(NodeSettings.builder()))
        .isInstanceOf(PlacementException.class)
        .hasMessage(
            "The " + what + " is null; leave the setting out for the default, levelled-rendezvous");
  }
}
