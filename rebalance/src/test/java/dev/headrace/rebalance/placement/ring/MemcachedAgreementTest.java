package dev.headrace.rebalance.placement.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.NodeLocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who moves from memcached's clients finds every key where it was. */
final class MemcachedAgreementTest {

  @ParameterizedTest
  @CsvSource({"1, 10000", "2, 50000", "10, 300000", "120, 1000000"})
  void everyStructureFindsTheOwnersThatMemcachedsClientsFind(int nodes, int keys)
      throws IOException {
    MemcachedLocators memcached = new MemcachedLocators(nodes, "");
    NodeLocator evcache = memcached.evcache();
    NodeLocator spymemcached = memcached.spymemcached();
    List<RingLocator> ours = new ArrayList<>();
    for (RingStructure structure : RingStructure.values()) {
      ours.add(RingLocator.of(RingAlgorithm.KETAMA_MD5, structure, memcached.names()));
    }
    int differ = 0;
    int[] found = new int[nodes];
    for (int i = 0; i < keys; i++) {
      String key = key(i);
      MemcachedNode owner = evcache.getPrimary(key);
      boolean same = owner == spymemcached.getPrimary(key);
      for (RingLocator locator : ours) {
        same &= owner == memcached.node(locator.locate(key));
      }
      differ += same ? 0 : 1;
      found[ours.get(0).locate(key)]++;
    }

    assertThat(differ).isZero();
    assertThat(found).as("keys of each node").doesNotContain(0);
  }

  @Test
  void nodesAreNamedByHostAndAddressWhereTheClientsWereGivenHosts() throws IOException {
    MemcachedLocators memcached = new MemcachedLocators(5, "cache-");
    NodeLocator evcache = memcached.evcacheByHosts();
    NodeLocator spymemcached = memcached.spymemcached();
    RingLocator ours =
        RingLocator.of(RingAlgorithm.KETAMA_MD5, RingStructure.DIRECT, memcached.names());

    assertThat(ours.nodes().get(0).name()).isEqualTo("cache-1/100.94.221.1:11211");
    for (int i = 0; i < 10_000; i++) {
      MemcachedNode owner = memcached.node(ours.locate(key(i)));
      assertThat(evcache.getPrimary(key(i))).isSameAs(owner);
      assertThat(spymemcached.getPrimary(key(i))).isSameAs(owner);
    }
  }

  /** Short and long ones, over one block of MD5 and over two, and some beyond ASCII. */
  private static String key(int i) {
    return switch (i % 4) {
      case 0 -> "key_" + i;
      case 1 -> "session:" + "x".repeat(i % 150) + i;
      case 2 -> "größe-" + i;
      default -> Integer.toHexString(i * 0x9e37_79b9);
    };
  }
}
