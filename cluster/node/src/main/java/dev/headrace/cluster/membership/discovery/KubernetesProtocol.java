package dev.headrace.cluster.membership.discovery;

import dev.headrace.api.Discovery;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jgroups.protocols.kubernetes.KUBE_PING;

/** Finds pods. The only class that needs JGroups' library for Kubernetes, which is optional. */
final class KubernetesProtocol {
  private KubernetesProtocol() {}

  static org.jgroups.protocols.Discovery of(Discovery.Kubernetes discovery) {
    Map<String, String> sorted = new TreeMap<>(discovery.labels());
    KUBE_PING protocol = new KUBE_PING();
    protocol.setNamespace(discovery.namespace());
    protocol.setValue(
        "labels",
        sorted.entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(",")));
    protocol.setValue("port_range", 0);
    return protocol.asyncDiscovery(true);
  }
}
