package dev.headrace.spring;

import dev.headrace.api.SplitPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * The properties of a node and its caches. What is null is not set, and has the default of {@link
 * dev.headrace.api.NodeSettings}.
 *
 * @param enabled whether a node is started
 * @param clusterName nodes of one name form a cluster
 * @param nodeName the node's name in messages
 * @param bindAddress host name or address to listen on
 * @param membershipPort TCP port of the membership protocol, 0 for a free one
 * @param dataPort TCP port of operations and batches, 0 for a free one
 * @param discovery how other nodes are found
 * @param security how nodes authenticate each other
 * @param capacity the node's weight, 0 for a node that holds nothing
 * @param zone nodes of one zone may fail together
 * @param segments number of segments of the cluster
 * @param owners number of replicas of each segment
 * @param minOwners a write is refused while its segment has fewer owners
 * @param placement the name of a built-in placement of segments
 * @param splitPolicy what parts of the cluster may do that cannot reach each other
 * @param lostSegments what happens to segments without an owner
 * @param hashSeed the seed of the keys' hashes
 * @param operationTimeout how long an operation may take before its outcome is unknown
 * @param joinTimeout how long starting the node may take
 * @param shutdownTimeout how long closing the application waits for the node to leave
 * @param repairInterval the time in which all replicas are compared once, zero for never
 * @param repairBytesPerSecond how many bytes are compared per second
 * @param maxEntrySize the largest sum of encoded key and value
 * @param memory the most heap for entries
 * @param streamMemory the most direct memory for streams
 * @param retainedChanges what the node retains for readers of changes
 * @param busyPoll how long waiting threads poll before they sleep
 * @param operationLoops how many threads read and write operations
 * @param bulkLoops how many threads read and write batches
 * @param defaultLifespan how long entries of caches are present that name no lifespan
 * @param serialization which objects caches without a value type may hold
 * @param caches by their names, caches of which something is known
 */
@ConfigurationProperties("headrace")
record HeadraceProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String clusterName,
    @Nullable String nodeName,
    @Nullable String bindAddress,
    @Nullable Integer membershipPort,
    @Nullable Integer dataPort,
    @DefaultValue DiscoveryProperties discovery,
    @DefaultValue SecurityProperties security,
    @Nullable Double capacity,
    @Nullable String zone,
    @Nullable Integer segments,
    @Nullable Integer owners,
    @Nullable Integer minOwners,
    @Nullable String placement,
    @Nullable SplitPolicy splitPolicy,
    @DefaultValue LostSegmentsProperties lostSegments,
    @Nullable Long hashSeed,
    @Nullable Duration operationTimeout,
    @Nullable Duration joinTimeout,
    @Nullable Duration shutdownTimeout,
    @Nullable Duration repairInterval,
    @Nullable DataSize repairBytesPerSecond,
    @Nullable DataSize maxEntrySize,
    @Nullable DataSize memory,
    @Nullable DataSize streamMemory,
    @DefaultValue RetainedChangesProperties retainedChanges,
    @Nullable Duration busyPoll,
    @Nullable Integer operationLoops,
    @Nullable Integer bulkLoops,
    @Nullable Duration defaultLifespan,
    @DefaultValue SerializationProperties serialization,
    @DefaultValue Map<String, CacheProperties> caches) {

  /**
   * How other nodes are found: by one of these kinds, or on this machine.
   *
   * @param folder the folder through which nodes on this machine do, an absolute path
   * @param hosts membership addresses of nodes, {@code host:port}
   * @param dns how they are looked up
   * @param multicast how they are called
   * @param kubernetes which pods they are
   */
  record DiscoveryProperties(
      @Nullable String folder,
      @DefaultValue List<String> hosts,
      @Nullable DnsProperties dns,
      @Nullable MulticastProperties multicast,
      @Nullable KubernetesProperties kubernetes) {}

  /**
   * The records of a DNS name.
   *
   * @param query the name to look up
   * @param port the membership port, where the records do not carry one
   */
  record DnsProperties(String query, @DefaultValue("0") int port) {
    DnsProperties {
      Assert.hasText(query, "headrace.discovery.dns.query must be set");
    }
  }

  /**
   * IP multicast.
   *
   * @param address a multicast address
   * @param port the UDP port of the search
   */
  record MulticastProperties(String address, @DefaultValue("0") int port) {
    MulticastProperties {
      Assert.hasText(address, "headrace.discovery.multicast.address must be set");
    }
  }

  /**
   * Pods of a namespace.
   *
   * @param namespace the namespace
   * @param labels labels that a pod must all have
   * @param port the membership port of the pods
   */
  record KubernetesProperties(
      String namespace, @DefaultValue Map<String, String> labels, @DefaultValue("0") int port) {
    KubernetesProperties {
      Assert.hasText(namespace, "headrace.discovery.kubernetes.namespace must be set");
    }
  }

  /**
   * How nodes authenticate each other: by a secret, by TLS, or not at all.
   *
   * @param secret a text that all nodes share, at least 16 bytes
   * @param secretFile a file with it
   * @param certificate PEM file with the node's certificate
   * @param key PEM file with its private key
   * @param anchors PEM file with the authorities of this cluster
   * @param required whether the node refuses to start without any of these on an address that
   *     others may reach
   */
  record SecurityProperties(
      @Nullable String secret,
      @Nullable Path secretFile,
      @Nullable Path certificate,
      @Nullable Path key,
      @Nullable Path anchors,
      @DefaultValue("false") boolean required) {
    /** Tells no secret. */
    @Override
    public String toString() {
      return "SecurityProperties[required=" + required + "]";
    }
  }

  /**
   * What happens to segments without an owner.
   *
   * @param recreateAfter they begin anew after so long
   * @param recreateWhenEnded they do not wait for nodes that are known to have ended
   */
  record LostSegmentsProperties(
      @Nullable Duration recreateAfter, @DefaultValue("false") boolean recreateWhenEnded) {}

  /**
   * What the node retains for readers of changes.
   *
   * @param memory the most heap for it
   * @param previousValues whether the value before each change is retained, too
   */
  record RetainedChangesProperties(
      @Nullable DataSize memory, @DefaultValue("false") boolean previousValues) {}

  /**
   * Which objects caches without a value type may hold.
   *
   * @param packages packages whose classes may be serialized, with those below them
   */
  record SerializationProperties(@DefaultValue List<String> packages) {}

  /**
   * A cache.
   *
   * @param keyType the class of its keys
   * @param valueType the class of its values
   * @param lifespan how long its entries are present
   * @param nullValues whether it holds null
   */
  record CacheProperties(
      @Nullable Class<?> keyType,
      @Nullable Class<?> valueType,
      @Nullable Duration lifespan,
      @DefaultValue("true") boolean nullValues) {}
}
