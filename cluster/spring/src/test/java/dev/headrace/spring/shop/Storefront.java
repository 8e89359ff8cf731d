package dev.headrace.spring.shop;

import dev.headrace.spring.shop.ShopApplication.Catalogue;
import dev.headrace.spring.shop.ShopApplication.Product;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the shop's products by HTTP. */
@RestController
public class Storefront {
  private final Catalogue catalogue;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  Storefront(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /** A product as text; 404 if there is none. */
  @GetMapping("/products/{number}")
  public ResponseEntity<String> product(@PathVariable int number) {
    return reply(catalogue.product(number));
  }

  /** The same, loaded by one thread of an instance. */
  @GetMapping("/products/{number}/once")
  public ResponseEntity<String> productOnce(@PathVariable int number) {
    return reply(catalogue.productOnce(number));
  }

  /** Sets a product's price. */
  @PutMapping("/products/{number}/price/{cents}")
  public ResponseEntity<String> price(@PathVariable int number, @PathVariable long cents) {
    return reply(catalogue.price(number, cents));
  }

  /** A product that is looked up when {@link #releaseSlowRequest} is called. */
  @GetMapping("/slow/{number}")
  public ResponseEntity<String> slow(@PathVariable int number) throws InterruptedException {
    asked.countDown();
    released.await();
    return reply(catalogue.product(number));
  }

  private static ResponseEntity<String> reply(@Nullable Product product) {
    return product == null
        ? ResponseEntity.notFound().build()
        : ResponseEntity.ok(product.toString());
  }

  /** Waits until a slow request is being served. */
  public void awaitSlowRequest() throws InterruptedException {
    asked.await();
  }

  /** Lets slow requests go on. */
  public void releaseSlowRequest() {
    released.countDown();
  }
}
