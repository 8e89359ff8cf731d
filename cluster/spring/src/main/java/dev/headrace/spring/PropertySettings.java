package dev.headrace.spring;

import dev.headrace.api.Discovery;
import dev.headrace.api.LostSegments;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RetainedChanges;
import dev.headrace.api.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Makes settings of properties. Stateless. */
final class PropertySettings {
  private PropertySettings() {}

  /**
   * Settings in which everything that a property names has its value. The node does not watch for
   * the end of the process: closing the application closes it.
   *
   * @throws IllegalArgumentException if properties contradict each other
   */
  static NodeSettings.Builder of(HeadraceProperties properties) {
    NodeSettings.Builder settings = NodeSettings.builder().shutdownHook(false);
    given(properties.clusterName(), settings::clusterName);
    given(properties.nodeName(), settings::nodeName);
    given(properties.bindAddress(), settings::bindAddress);
    given(properties.membershipPort(), settings::membershipPort);
    given(properties.dataPort(), settings::dataPort);
    given(discovery(properties.discovery()), settings::discovery);
    given(security(properties.security()), settings::security);
    settings.requireSecurity(properties.security().required());
    given(properties.capacity(), settings::capacity);
    given(properties.zone(), settings::zone);
    given(properties.segments(), settings::segments);
    given(properties.owners(), settings::owners);
    given(properties.minOwners(), settings::minOwners);
    given(properties.placement(), (String name) -> settings.placement(name));
    given(properties.splitPolicy(), settings::splitPolicy);
    settings.lostSegments(lostSegments(properties.lostSegments()));
    given(properties.hashSeed(), settings::hashSeed);
    given(properties.operationTimeout(), settings::operationTimeout);
    given(properties.joinTimeout(), settings::joinTimeout);
    given(properties.shutdownTimeout(), settings::shutdownTimeout);
    given(properties.repairInterval(), settings::repairInterval);
    given(properties.repairBytesPerSecond(), size -> settings.repairBytesPerSecond(size.toBytes()));
    given(properties.maxEntrySize(), size -> settings.maxEntryBytes(entryBytes(size)));
    given(properties.memory(), size -> settings.memoryBytes(size.toBytes()));
    given(properties.streamMemory(), size -> settings.streamMemoryBytes(size.toBytes()));
    settings.retainedChanges(retainedChanges(properties.retainedChanges()));
    given(properties.busyPoll(), settings::busyPoll);
    given(properties.operationLoops(), settings::operationLoops);
    given(properties.bulkLoops(), settings::bulkLoops);
    return settings;
  }

  private static <T> void given(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  private static int entryBytes(DataSize size) {
    long bytes = size.toBytes();
    if (bytes > NodeSettings.MAX_ENTRY_BYTES) {
      throw new IllegalArgumentException(
          "headrace.max-entry-size must be at most "
              + NodeSettings.MAX_ENTRY_BYTES
              + " bytes, but is "
              + bytes);
    }
    return (int) bytes;
  }

  private static LostSegments lostSegments(HeadraceProperties.LostSegmentsProperties properties) {
    Duration after = properties.recreateAfter();
    LostSegments decision = after == null ? LostSegments.WAIT : LostSegments.recreateAfter(after);
    return properties.recreateWhenEnded() ? decision.orWhenEnded() : decision;
  }

  private static RetainedChanges retainedChanges(
      HeadraceProperties.RetainedChangesProperties properties) {
    DataSize memory = properties.memory();
    RetainedChanges changes =
        memory == null ? RetainedChanges.defaults() : RetainedChanges.ofBytes(memory.toBytes());
    return properties.previousValues() ? changes.withPreviousValues() : changes;
  }

  private static @Nullable Discovery discovery(HeadraceProperties.DiscoveryProperties properties) {
    List<Discovery> kinds = new ArrayList<>();
    given(properties.folder(), folder -> kinds.add(new Discovery.Local(folder)));
    if (!properties.hosts().isEmpty()) {
      kinds.add(new Discovery.Hosts(properties.hosts()));
    }
    given(properties.dns(), dns -> kinds.add(new Discovery.Dns(dns.query(), dns.port())));
    given(
        properties.multicast(),
        multicast -> kinds.add(new Discovery.Multicast(multicast.address(), multicast.port())));
    given(
        properties.kubernetes(),
        pods -> kinds.add(new Discovery.Kubernetes(pods.namespace(), pods.labels(), pods.port())));
    if (kinds.size() > 1) {
      throw new IllegalArgumentException(
          "headrace.discovery names several kinds of discovery, but a node has one: keep one of"
              + " folder, hosts, dns, multicast and kubernetes, the same on all nodes");
    }
    return kinds.isEmpty() ? null : kinds.get(0);
  }

  private static @Nullable Security security(HeadraceProperties.SecurityProperties properties) {
    List<Security> kinds = new ArrayList<>();
    given(properties.secret(), secret -> kinds.add(Security.secret(secret)));
    given(properties.secretFile(), file -> kinds.add(Security.secretFile(file)));
    var certificate = properties.certificate();
    var key = properties.key();
    var anchors = properties.anchors();
    if (certificate != null && key != null && anchors != null) {
      kinds.add(Security.tls(certificate, key, anchors));
    } else if (certificate != null || key != null || anchors != null) {
      throw new IllegalArgumentException(
          "headrace.security needs all three of certificate, key and anchors for TLS");
    }
    if (kinds.size() > 1) {
      throw new IllegalArgumentException(
          "headrace.security names several ways to authenticate, but a node has one: keep one of"
              + " secret, secret-file and TLS, the same on all nodes");
    }
    return kinds.isEmpty() ? null : kinds.get(0);
  }
}
