package dev.headrace.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Headrace;
import dev.headrace.spring.shop.ShopApplication.Catalogue;
import dev.headrace.spring.shop.ShopApplication.Product;
import dev.headrace.spring.shop.ShopApplication.Table;
import dev.headrace.spring.test.HeadraceTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.cache.CacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/** The shop's catalogue with a node of the test's own, as the guide says. */
@HeadraceTest(
    properties = {
      "headrace.caches.products.key-type=int",
      "headrace.caches.products.value-type=dev.headrace.spring.shop.ShopApplication$Product"
    })
@Import({Catalogue.class, Table.class})
final class CatalogueTest {
  @Autowired private Catalogue catalogue;
  @Autowired private Table table;
  @Autowired private CacheManager caches;
  @Autowired private Headrace node;
  @Autowired private ApplicationContext context;

  @BeforeEach
  void empty() {
    caches.resetCaches();
  }

  @Test
  void aProductIsReadOnce() {
    int before = table.reads(7);
    Product product = catalogue.product(7);
    assertThat(catalogue.product(7)).isEqualTo(product);
    assertThat(table.reads(7)).isEqualTo(before + 1);
  }

  @Test
  void aProductThatIsNotThereIsLookedForOnce() {
    int before = table.reads(-3);
    assertThat(catalogue.product(-3)).isNull();
    assertThat(catalogue.product(-3)).isNull();
    assertThat(table.reads(-3)).isEqualTo(before + 1);
  }

  @Test
  void aPriceIsSetAndAProductForgotten() {
    catalogue.price(9, 5);
    assertThat(catalogue.product(9).cents()).isEqualTo(5);
    catalogue.forget(9);
    assertThat(catalogue.product(9).cents()).isEqualTo(900);
  }

  @Test
  void keysOfSeveralParametersAreTakenApart() {
    int before = table.reads(1) + table.reads(2);
    assertThat(catalogue.label("de", 1)).startsWith("de:").isEqualTo(catalogue.label("de", 1));
    assertThat(catalogue.label("de", 2)).isNotEqualTo(catalogue.label("en", 2));
    assertThat(table.reads(1) + table.reads(2)).isEqualTo(before + 3);
  }

  @Test
  void manyUsersOfOneProductReadItOnce() throws Exception {
    int before = table.reads(11);
    ExecutorService users = Executors.newFixedThreadPool(8);
    try {
      CountDownLatch all = new CountDownLatch(8);
      List<Future<Product>> found = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        found.add(
            users.submit(
                () -> {
                  all.countDown();
                  all.await();
                  return catalogue.productOnce(11);
                }));
      }
      for (Future<Product> each : found) {
        assertThat(each.get(60, TimeUnit.SECONDS).number()).isEqualTo(11);
      }
    } finally {
      users.shutdownNow();
    }
    assertThat(table.reads(11)).isEqualTo(before + 1);
  }

  @Test
  void theNodeIsAloneAndNothingElseIsStarted() {
    assertThat(node.status().members()).hasSize(1);
    assertThat(node.settings().clusterName()).startsWith("test-");
    assertThat(node.settings().bindAddress()).isEqualTo("127.0.0.1");
    assertThat(context.containsBean("applicationTaskExecutor")).isFalse();
  }
}
