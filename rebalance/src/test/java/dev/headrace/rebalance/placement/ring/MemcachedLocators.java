package dev.headrace.rebalance.placement.ring;

import com.netflix.evcache.pool.EVCacheClient;
import com.netflix.evcache.pool.EVCacheKetamaNodeLocatorConfiguration;
import com.netflix.evcache.pool.EVCacheNodeLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import net.spy.memcached.DefaultConnectionFactory;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.KetamaNodeLocator;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.NodeLocator;
import net.spy.memcached.util.DefaultKetamaNodeLocatorConfiguration;
import net.spy.memcached.util.KetamaNodeLocatorConfiguration;
import org.objenesis.ObjenesisStd;

/** The locators of memcached's clients, with nodes that are never connected. */
final class MemcachedLocators {

  private static final int PORT = 11_211;

  private final List<MemcachedNode> nodes = new ArrayList<>();
  private final List<LocatorNode> names = new ArrayList<>();

  /**
   * With 200 nodes at most.
   *
   * @param host what the names of their hosts begin with, empty for addresses alone
   */
  MemcachedLocators(int count, String host) throws IOException {
    for (int node = 1; node <= count; node++) {
      byte[] ip = {100, 94, (byte) 221, (byte) node};
      String name = host.isEmpty() ? "" : host + node;
      InetAddress ipOfHost =
          name.isEmpty() ? InetAddress.getByAddress(ip) : InetAddress.getByAddress(name, ip);
      InetSocketAddress address = new InetSocketAddress(ipOfHost, PORT);
      try (SocketChannel channel = SocketChannel.open()) {
        nodes.add(new DefaultConnectionFactory().createMemcachedNode(address, channel, 1));
      }
      String label = "100.94.221." + node + ":" + PORT;
      names.add(new LocatorNode(name.isEmpty() ? label : name + "/" + label));
    }
  }

  /** The same nodes by their names. */
  List<LocatorNode> names() {
    return names;
  }

  /** EVCache's, for a client that no constructor has run for: it is asked for two names. */
  NodeLocator evcache() {
    return evcache(new DefaultKetamaNodeLocatorConfiguration());
  }

  /** The same with the configuration that names nodes by their hosts. */
  NodeLocator evcacheByHosts() {
    return evcache(new EVCacheKetamaNodeLocatorConfiguration(client()));
  }

  private NodeLocator evcache(KetamaNodeLocatorConfiguration configuration) {
    return new EVCacheNodeLocator(client(), nodes, DefaultHashAlgorithm.KETAMA_HASH, configuration);
  }

  private static EVCacheClient client() {
    return new ObjenesisStd().newInstance(EVCacheClient.class);
  }

  NodeLocator spymemcached() {
    return new KetamaNodeLocator(nodes, DefaultHashAlgorithm.KETAMA_HASH);
  }

  /** A node found by one of them, at a place. */
  MemcachedNode node(int place) {
    return nodes.get(place);
  }
}
