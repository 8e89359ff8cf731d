package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.spring.shop.ShopApplication;
import dev.headrace.spring.shop.ShopApplication.Catalogue;
import dev.headrace.spring.shop.ShopApplication.Product;
import dev.headrace.spring.shop.ShopApplication.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;

/** Three instances of an application, each restarted while users call the others. */
final class RollingRestartTest {
  private static final int INSTANCES = 3;
  private static final int PRODUCTS = 2_000;
  private static final int USERS = 6;

  private final Table table = new Table();
  private final String cluster = "shop-" + UUID.randomUUID();
  private final AtomicInteger started = new AtomicInteger();

  @TempDir private Path folder;

  /** An instance, with the lock by which a load balancer drains it. */
  private static final class Instance {
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private ConfigurableApplicationContext context; // guarded by the lock
    private boolean open; // guarded by the lock

    Instance(ConfigurableApplicationContext context) {
      this.context = context;
      this.open = true;
    }
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(ShopApplication.class)
        .web(WebApplicationType.NONE)
        .initializers(context -> context.getBeanFactory().registerSingleton("table", table))
        .properties(
            Map.of(
                "headrace.cluster-name",
                cluster,
                "headrace.node-name",
                "shop-" + started.incrementAndGet(),
                "headrace.discovery.folder",
                folder.toString(),
                "headrace.operation-timeout",
                "1m",
                "headrace.caches.products.key-type",
                "int",
                "headrace.caches.products.value-type",
                Product.class.getName(),
                "spring.main.banner-mode",
                "off",
                "logging.level.root",
                "warn"))
        .run();
  }

  private static void awaitReady(ConfigurableApplicationContext context) {
    HealthIndicator readiness =
        (HealthIndicator)
            context.getBean(HealthContributorRegistry.class).getContributor("readinessState");
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!readiness.health().getStatus().equals(Status.UP)) {
      assertThat(System.nanoTime() - deadlineNanos).as("not ready yet").isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  @Timeout(180)
  void noRequestFailsAndNoEntryIsLost() throws Exception {
    List<Instance> instances = new ArrayList<>();
    ExecutorService users = Executors.newFixedThreadPool(USERS);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicLong requests = new AtomicLong();
    ConcurrentMap<Integer, Long> prices = new ConcurrentHashMap<>();
    try {
      for (int i = 0; i < INSTANCES; i++) {
        instances.add(new Instance(start()));
      }
      instances.forEach(instance -> awaitReady(instance.context));
      Catalogue first = instances.get(0).context.getBean(Catalogue.class);
      for (int number = 0; number < PRODUCTS; number++) {
        assertThat(first.product(number)).isNotNull();
      }
      assertThat(first.product(-1)).isNull();
      int reads = table.reads();

      List<Future<?>> calls = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        int number = user;
        calls.add(
            users.submit(
                () -> {
                  for (long turn = 1; !ended.get(); turn++) {
                    call(instances, number, turn, prices);
                    requests.incrementAndGet();
                  }
                }));
      }
      List<Long> meanwhile = new ArrayList<>();
      for (Instance instance : instances) {
        long before = requests.get();
        restart(instance);
        meanwhile.add(requests.get() - before);
      }
      ended.set(true);
      for (Future<?> call : calls) {
        call.get(60, TimeUnit.SECONDS); // fails if a request did
      }

      assertThat(table.reads()).as("reads of the table after the first ones").isEqualTo(reads);
      assertThat(meanwhile).as("requests during each restart").allMatch(count -> count > 0);
      checkEntries(instances, prices);
    } finally {
      ended.set(true);
      users.shutdownNow();
      instances.forEach(instance -> instance.context.close());
    }
  }

  /** One request to an instance that takes requests, as a load balancer sends it. */
  private static void call(
      List<Instance> instances, int user, long turn, ConcurrentMap<Integer, Long> prices) {
    for (int next = (int) (turn % INSTANCES); ; next = (next + 1) % INSTANCES) {
      Instance instance = instances.get(next);
      if (!instance.lock.readLock().tryLock()) {
        continue;
      }
      try {
        if (!instance.open) {
          continue;
        }
        Catalogue catalogue = instance.context.getBean(Catalogue.class);
        int number = (int) ((turn * 31 + user * 7L) % PRODUCTS);
        Product product =
            number % 2 == 0 ? catalogue.product(number) : catalogue.productOnce(number);
        assertThat(product).isNotNull();
        assertThat(product.number()).isEqualTo(number);
        assertThat(catalogue.product(-1)).isNull();
        if (turn % 8 == 0) {
          int own = PRODUCTS + user * 1_000 + (int) (turn / 8 % 1_000); // nobody else's
          assertThat(catalogue.price(own, turn).cents()).isEqualTo(turn);
          prices.put(own, turn);
        }
        return;
      } finally {
        instance.lock.readLock().unlock();
      }
    }
  }

  private void restart(Instance instance) {
    instance.lock.writeLock().lock(); // waits for its requests, as a graceful shutdown does
    try {
      instance.open = false;
    } finally {
      instance.lock.writeLock().unlock();
    }
    instance.context.close();
    ConfigurableApplicationContext next = start();
    awaitReady(next);
    instance.lock.writeLock().lock();
    try {
      instance.context = next;
      instance.open = true;
    } finally {
      instance.lock.writeLock().unlock();
    }
  }

  private static void checkEntries(List<Instance> instances, Map<Integer, Long> prices) {
    assertThat(prices).isNotEmpty();
    for (Instance instance : instances) {
      Headrace node = instance.context.getBean(Headrace.class);
      assertThat(node.status().members()).hasSize(INSTANCES);
      assertThat(node.status().lostSegments()).isEmpty();
    }
    ConfigurableApplicationContext any = instances.get(0).context;
    Catalogue catalogue = any.getBean(Catalogue.class);
    prices.forEach(
        (number, cents) -> assertThat(catalogue.product(number).cents()).isEqualTo(cents));
    Cache<?, ?> products =
        (Cache<?, ?>) any.getBean(CacheManager.class).getCache("products").getNativeCache();
    assertThat(products.size()).isEqualTo(PRODUCTS + 1 + prices.size());
  }
}
