package dev.headrace.benchmarks.locator;

import com.netflix.evcache.pool.EVCacheClient;
import com.netflix.evcache.pool.EVCacheNodeLocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import net.spy.memcached.DefaultConnectionFactory;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.util.DefaultKetamaNodeLocatorConfiguration;
import org.objenesis.ObjenesisStd;

/**
 * EVCache's locator as its clients use it: MD5 and a map of 160 points a node. Its client is an
 * object that no constructor has run for, of which the locator asks only two names; its nodes are
 * never connected.
 */
final class EvcacheLocator {

  private final List<MemcachedNode> nodes = new ArrayList<>();
  private final EVCacheNodeLocator locator;

  EvcacheLocator(int count) {
    for (int node = 1; node <= count; node++) {
      nodes.add(node(Subject.address(node)));
    }
    locator =
        new EVCacheNodeLocator(
            new ObjenesisStd().newInstance(EVCacheClient.class),
            nodes,
            DefaultHashAlgorithm.KETAMA_HASH,
            new DefaultKetamaNodeLocatorConfiguration());
  }

  private static MemcachedNode node(String address) {
    int colon = address.indexOf(':');
    String[] parts = address.substring(0, colon).split("\\.", -1);
    byte[] ip = new byte[parts.length];
    for (int i = 0; i < ip.length; i++) {
      ip[i] = (byte) Integer.parseInt(parts[i]);
    }
    int port = Integer.parseInt(address.substring(colon + 1));
    try (SocketChannel channel = SocketChannel.open()) {
      return new DefaultConnectionFactory()
          .createMemcachedNode(
              new InetSocketAddress(InetAddress.getByAddress(ip), port), channel, 1);
    } catch (IOException e) {
      throw new UncheckedIOException("No node could be made for " + address, e);
    }
  }

  /** The version of EVCache, as its jar has it. */
  static String version() {
    return String.valueOf(EVCacheNodeLocator.class.getPackage().getImplementationVersion());
  }

  Subject subject(String[] keys) {
    MemcachedNode first = nodes.get(0);
    return () -> {
      int sum = 0;
      for (String key : keys) {
        sum += locator.getPrimary(key) == first ? 1 : 0;
      }
      return sum;
    };
  }
}
