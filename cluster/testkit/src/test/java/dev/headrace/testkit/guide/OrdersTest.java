package dev.headrace.testkit.guide;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.testkit.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
class OrdersTest {
  @RegisterExtension final TestCluster cluster = TestCluster.of(3);

  @Test
  void anOrderOutlivesTheNodeThatTookIt() {
    Cache<Long, String> orders = cluster.node(1).cache("orders", Long.class, String.class);
    orders.put(7L, "open");

    cluster.kill(cluster.node(1));
    cluster.settle();

    assertEquals("open", cluster.cache("orders", Long.class, String.class).get(7L));
  }

  @Test
  void anOrderIsNotOutOfDateAfterAPause() {
    Headrace slow = cluster.node(2);
    Cache<Long, String> orders = cluster.cache("orders", Long.class, String.class);
    orders.put(7L, "open");

    cluster.pause(slow);
    cluster.settle(); // the others go on without it
    orders.put(7L, "paid");
    cluster.resume(slow);
    cluster.settle(); // it is a member again

    assertEquals("paid", slow.cache("orders", Long.class, String.class).get(7L));
  }

  @Test
  void ordersAreTakenWhileANodeIsCutOff() {
    cluster.isolate(cluster.node(2));
    cluster.settle();
    Cache<Long, String> orders = cluster.cache("orders", Long.class, String.class);
    orders.put(8L, "open");

    cluster.heal();
    cluster.settle();

    assertEquals("open", cluster.node(2).cache("orders", Long.class, String.class).get(8L));
  }
}
