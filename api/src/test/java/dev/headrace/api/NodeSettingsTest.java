package dev.headrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class NodeSettingsTest {

  private static Arguments wrong(String message, UnaryOperator<NodeSettings.Builder> change) {
    return Arguments.of(message, change);
  }

  // checkstyle: off MethodLength because it is one list
  static Stream<Arguments> outOfRange() {
    return Stream.of(
        wrong("clusterName must not be blank", b -> b.clusterName(" ")),
        wrong("nodeName must not be blank", b -> b.nodeName("")),
        wrong("bindAddress must not be blank", b -> b.bindAddress("")),
        wrong(
            "membershipPort must be between 0 and 65535, but is 65536",
            b -> b.membershipPort(65536)),
        wrong("dataPort must be between 0 and 65535, but is -1", b -> b.dataPort(-1)),
        wrong(
            "capacity must be 0 (holds nothing) or a positive number, but is -1.0",
            b -> b.capacity(-1)),
        wrong(
            "capacity must be 0 (holds nothing) or a positive number, but is NaN",
            b -> b.capacity(Double.NaN)),
        wrong(
            "capacity must be 0 (holds nothing) or a positive number, but is Infinity",
            b -> b.capacity(Double.POSITIVE_INFINITY)),
        wrong("segments must be between 1 and 1048576, but is 0", b -> b.segments(0)),
        wrong("segments must be between 1 and 1048576, but is 1048577", b -> b.segments(1048577)),
        wrong("owners must be at least 1, but is 0", b -> b.owners(0)),
        wrong("minOwners must be between 1 and owners (2), but is 0", b -> b.minOwners(0)),
        wrong("minOwners must be between 1 and owners (2), but is 3", b -> b.minOwners(3)),
        wrong(
            "operationTimeout must be positive and at most PT24H, but is PT0S",
            b -> b.operationTimeout(Duration.ZERO)),
        wrong(
            "operationTimeout must be positive and at most PT24H, but is PT24H0.000000001S",
            b -> b.operationTimeout(NodeSettings.MAX_TIMEOUT.plusNanos(1))),
        wrong(
            "joinTimeout must be positive and at most PT24H, but is "
                + Duration.ofSeconds(Long.MAX_VALUE),
            b -> b.joinTimeout(Duration.ofSeconds(Long.MAX_VALUE))),
        wrong(
            "joinTimeout must be positive and at most PT24H, but is PT-1S",
            b -> b.joinTimeout(Duration.ofSeconds(-1))),
        wrong(
            "shutdownTimeout must be positive and at most PT24H, but is PT0S",
            b -> b.shutdownTimeout(Duration.ZERO)),
        wrong(
            "busyPoll must be between zero and PT0.01S, but is PT1M",
            b -> b.busyPoll(Duration.ofMinutes(1))),
        wrong("operationLoops must be between 1 and 64, but is 0", b -> b.operationLoops(0)),
        wrong("operationLoops must be between 1 and 64, but is 65", b -> b.operationLoops(65)),
        wrong("bulkLoops must be between 1 and 64, but is -1", b -> b.bulkLoops(-1)),
        wrong(
            "repairInterval must be between zero (never) and PT8760H, but is PT-1S",
            b -> b.repairInterval(Duration.ofSeconds(-1))),
        wrong("repairBytesPerSecond must be at least 1, but is 0", b -> b.repairBytesPerSecond(0)),
        wrong(
            "streamMemoryBytes must be at least 1048576, but is 1048575",
            b -> b.streamMemoryBytes((1 << 20) - 1)),
        wrong("memoryBytes must be at least 1048576, but is 1048575", b -> b.memoryBytes(1048575)),
        wrong("maxEntryBytes must be between 1 and 268435456, but is 0", b -> b.maxEntryBytes(0)),
        wrong(
            "maxEntryBytes must be between 1 and 268435456, but is 268435457",
            b -> b.maxEntryBytes(268435457)));
  }

  @ParameterizedTest
  @MethodSource("outOfRange")
  void aSettingOutOfItsRangeIsNamed(String message, UnaryOperator<NodeSettings.Builder> change) {
    NodeSettings.Builder builder = change.apply(NodeSettings.builder());
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void theEndsOfTheRangesAreAllowed() {
    NodeSettings settings =
        NodeSettings.builder()
            .membershipPort(65535)
            .dataPort(0)
            .capacity(0)
            .segments(1 << 20)
            .owners(Integer.MAX_VALUE)
            .minOwners(1)
            .maxEntryBytes(NodeSettings.MAX_ENTRY_BYTES)
            .busyPoll(NodeSettings.MAX_BUSY_POLL)
            .operationLoops(NodeSettings.MAX_LOOPS)
            .bulkLoops(1)
            .repairInterval(NodeSettings.MAX_REPAIR_INTERVAL)
            .repairBytesPerSecond(1)
            .streamMemoryBytes(1 << 20)
            .joinTimeout(NodeSettings.MAX_TIMEOUT)
            .shutdownHook(false)
            .shutdownTimeout(NodeSettings.MAX_TIMEOUT)
            .operationTimeout(NodeSettings.MAX_TIMEOUT)
            .hashSeed(-7)
            .build();
    assertThat(settings.capacity()).isZero();
    assertThat(settings.segments()).isEqualTo(1 << 20);
    assertThat(settings.hashSeed()).hasValue(-7);
  }

  @Test
  void defaultsFormATwoOwnerClusterOnThisMachine() {
    NodeSettings settings = NodeSettings.defaults();
    assertThat(settings.clusterName()).isEqualTo("headrace");
    assertThat(settings.bindAddress()).isEqualTo("127.0.0.1");
    assertThat(settings.segments()).isEqualTo(256);
    assertThat(settings.owners()).isEqualTo(2);
    assertThat(settings.discovery()).isEqualTo(Discovery.local());
    assertThat(settings.hashSeed()).isEmpty();
    assertThat(settings.lostSegments()).isEqualTo(LostSegments.WAIT);
    assertThat(settings.nodeName()).isNotEqualTo(NodeSettings.defaults().nodeName());
  }

  @Test
  void settingsCanBeMadeFromOthers() {
    LostSegments lost = LostSegments.recreateAfter(Duration.ofMinutes(2));
    NodeSettings first =
        NodeSettings.builder().nodeName("one").owners(3).hashSeed(5).lostSegments(lost).build();
    NodeSettings second = first.toBuilder().nodeName("two").build();
    assertThat(first.nodeName()).isEqualTo("one");
    assertThat(second.nodeName()).isEqualTo("two");
    assertThat(second.owners()).isEqualTo(3);
    assertThat(second.hashSeed()).hasValue(5);
    assertThat(second.lostSegments()).isEqualTo(lost);
  }

  @Test
  void settingsAreEqualWhenEverySettingIs() {
    NodeSettings first = NodeSettings.builder().nodeName("one").hashSeed(5).build();
    NodeSettings same = first.toBuilder().build();
    assertThat(same).isEqualTo(first).hasSameHashCodeAs(first).isNotEqualTo("one");
    assertThat(first.toBuilder().nodeName("two").build()).isNotEqualTo(first);
    assertThat(first.toBuilder().hashSeed(6).build()).isNotEqualTo(first);
    assertThat(first.toBuilder().memoryBytes(1 << 20).build()).isNotEqualTo(first);
  }

  @Test
  void everySettingIsNamedInTheTextOfSettingsAndHasAnAccessor() {
    String text = NodeSettings.builder().nodeName("one").owners(3).build().toString();
    assertThat(text).startsWith("NodeSettings{").contains("nodeName=one", "owners=3");
    assertThat(NodeSettings.Builder.class.getDeclaredFields())
        .filteredOn(field -> !field.isSynthetic())
        .isNotEmpty()
        .allSatisfy(
            field -> {
              assertThat(text).contains(field.getName() + "=");
              assertThat(NodeSettings.class.getMethod(field.getName())).isNotNull();
            });
  }

  @Test
  void aSecretDoesNotShowInTheTextOfSettings() {
    String secret = "not for the log, whatever is logged";
    NodeSettings settings = NodeSettings.builder().security(Security.secret(secret)).build();
    assertThat(settings.toString()).doesNotContain("not for the log").contains("security=");
  }

  @Test
  void aCachesNameHasOneTo255Bytes() {
    assertThatThrownBy(() -> CacheSettings.of("", String.class, String.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 255 bytes");
    String tooLong = "é".repeat(128);
    assertThatThrownBy(() -> CacheSettings.of(tooLong, String.class, String.class))
        .hasMessageContaining("has 256");
    assertThat(CacheSettings.of("é".repeat(127), String.class, String.class).name()).hasSize(127);
  }

  @Test
  void segmentsAreNotRecreatedBeforeTheyAreLost() {
    assertThat(LostSegments.recreateWhenEnded().recreateAfter()).isNull();
    assertThat(LostSegments.recreateAfter(Duration.ofMinutes(1)).orWhenEnded())
        .isEqualTo(new LostSegments(Duration.ofMinutes(1), true))
        .hasToString("recreateAfter(PT1M).orWhenEnded()");
    assertThatThrownBy(() -> LostSegments.recreateAfter(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lostSegments");
  }

  @Test
  void aListOfHostsIsNotEmpty() {
    assertThatThrownBy(() -> new Discovery.Hosts(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name at least one host:port");
    assertThat(Discovery.hosts("a:1", "b:2")).isEqualTo(new Discovery.Hosts(List.of("a:1", "b:2")));
  }
}
