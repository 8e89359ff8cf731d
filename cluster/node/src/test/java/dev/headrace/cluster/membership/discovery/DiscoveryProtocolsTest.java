package dev.headrace.cluster.membership.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import java.net.InetAddress;
import java.util.Map;
import org.jgroups.protocols.MPING;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.dns.DNS_PING;
import org.jgroups.protocols.kubernetes.KUBE_PING;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DiscoveryProtocolsTest {

  @Test
  void hostsBecomeAddresses() {
    TCPPING protocol = (TCPPING) protocol(Discovery.hosts("127.0.0.1:7801", "[::1]:7802"));
    assertThat(protocol.getInitialHosts())
        .extracting(address -> ((IpAddress) address).getPort())
        .containsExactly(7801, 7802);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "localhost:", ":7800", "localhost:0", "localhost:65536", ""})
  void aMalformedHostIsNamed(String host) {
    assertThatThrownBy(() -> protocol(Discovery.hosts(host)))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("\"" + host + "\"")
        .hasMessageContaining("host:port");
  }

  @Test
  void hostsWithoutAnyAddressAreNamed() {
    assertThatThrownBy(() -> protocol(Discovery.hosts("no-such-host.invalid:7800")))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("no-such-host.invalid:7800");
  }

  @Test
  void multicastTakesItsGroupAndPort() {
    MPING protocol = (MPING) protocol(new Discovery.Multicast("239.12.4.7", 7900));
    assertThat(protocol.getMcastAddr().getHostAddress()).isEqualTo("239.12.4.7");
    assertThat(protocol.getMcastPort()).isEqualTo(7900);
  }

  @Test
  void anAddressOfOneMachineIsNoMulticastAddress() {
    assertThatThrownBy(() -> protocol(new Discovery.Multicast("10.0.0.1", 7900)))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("\"10.0.0.1\"")
        .hasMessageContaining("multicast");
  }

  @Test
  void aNameOfAServiceIsAskedForItsServiceRecords() {
    DNS_PING service = (DNS_PING) protocol(new Discovery.Dns("_headrace._tcp.example.org", 0));
    DNS_PING hosts = (DNS_PING) protocol(new Discovery.Dns("headrace.example.org", 7800));
    assertThat(service.dnsRecordType()).isEqualTo("SRV");
    assertThat(hosts.dnsRecordType()).isEqualTo("A");
  }

  @Test
  void thePortUnderWhichNodesAreLookedForIsTheOneTheyListenOn() {
    Discovery pods = new Discovery.Kubernetes("default", Map.of("app", "headrace"), 7800);
    assertThat(protocol(pods)).isInstanceOf(KUBE_PING.class);
    assertThat(port(pods, 0)).isEqualTo(7800);
    assertThat(port(new Discovery.Dns("headrace.example.org", 7800), 7800)).isEqualTo(7800);
    assertThat(port(new Discovery.Dns("_headrace._tcp.example.org", 0), 7801)).isEqualTo(7801);
    assertThat(port(Discovery.local(), 7802)).isEqualTo(7802);
    assertThatThrownBy(() -> port(pods, 7801))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("7800")
        .hasMessageContaining("membershipPort is 7801");
  }

  private static int port(Discovery discovery, int membershipPort) {
    return DiscoveryProtocols.membershipPort(
        NodeSettings.builder().discovery(discovery).membershipPort(membershipPort).build());
  }

  private static org.jgroups.protocols.Discovery protocol(Discovery discovery) {
    return DiscoveryProtocols.of(
        NodeSettings.builder().discovery(discovery).build(), InetAddress.getLoopbackAddress());
  }
}
