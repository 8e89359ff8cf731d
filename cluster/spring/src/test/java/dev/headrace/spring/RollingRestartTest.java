package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.spring.LoadBalancer.Backend;
import dev.headrace.spring.shop.ShopApplication;
import dev.headrace.spring.shop.ShopApplication.Product;
import dev.headrace.spring.shop.ShopApplication.Table;
import dev.headrace.spring.shop.Storefront;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Three instances of a web application behind a load balancer, restarted one after the other while
 * users send requests.
 */
final class RollingRestartTest {
  private static final int INSTANCES = 3;
  private static final int PRODUCTS = 2_000;
  private static final int USERS = 6;

  private final Table table = new Table();
  private final String cluster = "shop-" + UUID.randomUUID();
  private final AtomicInteger started = new AtomicInteger();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicLong requests = new AtomicLong();
  private final ConcurrentMap<Integer, Long> prices = new ConcurrentHashMap<>();
  private final List<Instance> instances = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient http = HttpClient.newHttpClient();
  private final LoadBalancer balancer = new LoadBalancer(INSTANCES);

  @TempDir private Path folder;

  /** An instance, and what the load balancer knows of it. */
  private record Instance(ConfigurableApplicationContext context, Backend backend) {}

  private Instance start() {
    ConfigurableApplicationContext context =
        new SpringApplicationBuilder(ShopApplication.class)
            .initializers(each -> each.getBeanFactory().registerSingleton("table", table))
            .properties(
                Map.of(
                    "headrace.cluster-name", cluster,
                    "headrace.node-name", "shop-" + started.incrementAndGet(),
                    "headrace.discovery.folder", folder.toString(),
                    "headrace.operation-timeout", "1m",
                    "headrace.caches.products.key-type", "int",
                    "headrace.caches.products.value-type", Product.class.getName(),
                    "server.address", "127.0.0.1",
                    "server.port", "0",
                    "server.shutdown", "graceful"))
            .properties("spring.main.banner-mode=off", "logging.level.root=warn")
            .run();
    return new Instance(context, balancer.add(port(context)));
  }

  private static int port(ConfigurableApplicationContext context) {
    return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  @AfterEach
  void stop() {
    ended.set(true);
    threads.shutdownNow();
    balancer.close();
    instances.forEach(instance -> instance.context().close());
  }

  @Test
  @Timeout(300)
  void noRequestFailsAndNoEntryIsLost() throws Exception {
    for (int i = 0; i < INSTANCES; i++) {
      instances.add(start());
    }
    for (Instance instance : instances) {
      balancer.awaitInService(instance.backend());
    }
    for (int number = 0; number < PRODUCTS; number++) {
      assertProduct(balancer.get("/products/" + number), number);
    }
    assertThat(balancer.get("/products/-1").statusCode()).isEqualTo(404);
    int reads = table.reads();

    List<Future<Long>> users = new ArrayList<>();
    for (int user = 0; user < USERS; user++) {
      int number = user;
      users.add(threads.submit(() -> use(number)));
    }
    List<Long> meanwhile = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      long before = requests.get();
      restart(i);
      meanwhile.add(requests.get() - before);
    }
    ended.set(true);
    for (Future<Long> user : users) {
      long turns = user.get(60, TimeUnit.SECONDS); // fails if one of its requests did
      assertThat(turns).isPositive();
    }

    assertThat(table.reads()).as("reads of the table after the first ones").isEqualTo(reads);
    assertThat(meanwhile).as("requests during each restart").allMatch(count -> count > 0);
    checkEntries();
  }

  private static void assertProduct(HttpResponse<String> reply, int number) {
    assertProduct(reply, number, 100L * number);
  }

  private static void assertProduct(HttpResponse<String> reply, int number, long cents) {
    assertThat(reply.body()).isEqualTo(new Product(number, "product-" + number, cents).toString());
    assertThat(reply.statusCode()).isEqualTo(200);
  }

  /** Sends requests until the end, none of which may fail, and tells how often it did. */
  private long use(int user) throws IOException, InterruptedException {
    long turn = 0;
    while (!ended.get()) {
      turn++;
      int number = (int) ((turn * 31 + user * 7L) % PRODUCTS);
      String path = "/products/" + number;
      assertProduct(balancer.get(number % 2 == 0 ? path : path + "/once"), number);
      assertThat(balancer.get("/products/-1").statusCode()).isEqualTo(404);
      if (turn % 8 == 0) {
        int own = PRODUCTS + user * 1_000 + (int) (turn / 8 % 1_000); // nobody else's
        assertProduct(balancer.put("/products/" + own + "/price/" + turn), own, turn);
        prices.put(own, turn);
      }
      requests.incrementAndGet();
    }
    return turn;
  }

  /**
   * Restarts an instance as one should: it says that it is not ready, and is closed when the load
   * balancer has noticed that and has the replies to all that it sent. A slow request of somebody
   * else is still under way.
   */
  private void restart(int index) throws Exception {
    Instance old = instances.get(index);
    ConfigurableApplicationContext context = old.context();
    int port = port(context);
    Storefront storefront = context.getBean(Storefront.class);
    CompletableFuture<HttpResponse<String>> slow =
        http.sendAsync(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/slow/" + index))
                .build(),
            BodyHandlers.ofString());
    storefront.awaitSlowRequest();

    AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
    balancer.awaitDrained(old.backend());
    Future<?> closed = threads.submit(context::close);
    awaitRefusal(port);
    storefront.releaseSlowRequest();
    assertProduct(slow.get(60, TimeUnit.SECONDS), index);
    closed.get(60, TimeUnit.SECONDS);
    balancer.remove(old.backend());

    Instance next = start();
    instances.set(index, next);
    balancer.awaitInService(next.backend());
  }

  /** Waits until the web server takes no more connections. */
  private static void awaitRefusal(int port) throws IOException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (accepts(port)) {
      assertThat(System.nanoTime() - deadlineNanos).as("still takes connections").isNegative();
      Thread.onSpinWait();
    }
  }

  private static boolean accepts(int port) throws IOException {
    try (Socket connection = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return connection.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }

  private void checkEntries() throws Exception {
    assertThat(prices).isNotEmpty();
    for (Instance instance : instances) {
      Headrace node = instance.context().getBean(Headrace.class);
      assertThat(node.status().members()).hasSize(INSTANCES);
      assertThat(node.status().lostSegments()).isEmpty();
    }
    for (Map.Entry<Integer, Long> price : prices.entrySet()) {
      int number = price.getKey();
      assertProduct(balancer.get("/products/" + number), number, price.getValue());
    }
    CacheManager caches = instances.get(0).context().getBean(CacheManager.class);
    Cache<?, ?> products = (Cache<?, ?>) caches.getCache("products").getNativeCache();
    assertThat(products.size()).isEqualTo(PRODUCTS + 1 + prices.size());
  }
}
