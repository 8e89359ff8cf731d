package dev.headrace.api;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.api.stream.operator.NodeFunctions;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What each setting of a node may be, by itself and beside the others. Stateless. */
final class SettingRanges {
  private SettingRanges() {}

  /**
   * Checks all settings.
   *
   * @throws IllegalArgumentException if one is out of its range; the message names it
   */
  static void check(NodeSettings settings) {
    require(!settings.clusterName().isBlank(), "clusterName must not be blank");
    require(!settings.nodeName().isBlank(), "nodeName must not be blank");
    require(!settings.bindAddress().isBlank(), "bindAddress must not be blank");
    requirePort("membershipPort", settings.membershipPort());
    requirePort("dataPort", settings.dataPort());
    checkCluster(settings);
    requireTimeout("operationTimeout", settings.operationTimeout());
    requireTimeout("joinTimeout", settings.joinTimeout());
    requireTimeout("shutdownTimeout", settings.shutdownTimeout());
    checkLimits(settings);
    checkFunctions(settings);
  }

  private static void checkFunctions(NodeSettings settings) {
    Set<String> names = new HashSet<>();
    for (NodeFunctions<?, ?> some : settings.functions()) {
      some.functions()
          .forEach(
              function ->
                  require(
                      names.add(function.name().name()),
                      "functions must have different names, but two are called "
                          + function.name().name()));
    }
  }

  /**
   * Checks that a placement, or a part of one, is there.
   *
   * @throws PlacementException if it is not
   */
  static <T> T given(@Nullable T value, String what) {
    if (value == null) {
      throw new PlacementException(
          "The "
              + what
              + " is null; leave the setting out for the default, "
              + SegmentPlacement.LEVELLED_RENDEZVOUS);
    }
    return value;
  }

  private static void checkCluster(NodeSettings settings) {
    require(
        settings.capacity() >= 0 && Double.isFinite(settings.capacity()),
        "capacity must be 0 (holds nothing) or a positive number, but is " + settings.capacity());
    require(
        settings.segments() >= 1 && settings.segments() <= 1 << 20,
        "segments must be between 1 and 1048576, but is " + settings.segments());
    require(settings.owners() >= 1, "owners must be at least 1, but is " + settings.owners());
    require(
        settings.minOwners() >= 1 && settings.minOwners() <= settings.owners(),
        "minOwners must be between 1 and owners ("
            + settings.owners()
            + "), but is "
            + settings.minOwners());
  }

  private static void checkLimits(NodeSettings settings) {
    require(
        settings.maxEntryBytes() >= 1 && settings.maxEntryBytes() <= NodeSettings.MAX_ENTRY_BYTES,
        "maxEntryBytes must be between 1 and "
            + NodeSettings.MAX_ENTRY_BYTES
            + ", but is "
            + settings.maxEntryBytes());
    require(
        !settings.busyPoll().isNegative()
            && settings.busyPoll().compareTo(NodeSettings.MAX_BUSY_POLL) <= 0,
        "busyPoll must be between zero and "
            + NodeSettings.MAX_BUSY_POLL
            + ", but is "
            + settings.busyPoll());
    requireLoops("operationLoops", settings.operationLoops());
    requireLoops("bulkLoops", settings.bulkLoops());
    require(
        !settings.repairInterval().isNegative()
            && settings.repairInterval().compareTo(NodeSettings.MAX_REPAIR_INTERVAL) <= 0,
        "repairInterval must be between zero (never) and "
            + NodeSettings.MAX_REPAIR_INTERVAL
            + ", but is "
            + settings.repairInterval());
    require(
        settings.repairBytesPerSecond() >= 1,
        "repairBytesPerSecond must be at least 1, but is " + settings.repairBytesPerSecond());
    require(
        settings.streamMemoryBytes() >= NodeSettings.MIN_STREAM_MEMORY_BYTES,
        "streamMemoryBytes must be at least "
            + NodeSettings.MIN_STREAM_MEMORY_BYTES
            + ", but is "
            + settings.streamMemoryBytes());
    require(
        settings.memoryBytes() >= NodeSettings.MIN_MEMORY_BYTES,
        "memoryBytes must be at least "
            + NodeSettings.MIN_MEMORY_BYTES
            + ", but is "
            + settings.memoryBytes());
  }

  private static void requireTimeout(String name, Duration timeout) {
    require(
        !timeout.isNegative()
            && !timeout.isZero()
            && timeout.compareTo(NodeSettings.MAX_TIMEOUT) <= 0,
        name + " must be positive and at most " + NodeSettings.MAX_TIMEOUT + ", but is " + timeout);
  }

  private static void requireLoops(String name, int loops) {
    require(
        loops >= 1 && loops <= NodeSettings.MAX_LOOPS,
        name + " must be between 1 and " + NodeSettings.MAX_LOOPS + ", but is " + loops);
  }

  private static void requirePort(String name, int port) {
    require(port >= 0 && port <= 65535, name + " must be between 0 and 65535, but is " + port);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
