package dev.headrace.spring.shop;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.stereotype.Service;

/** A shop: products are read from a slow table once, and kept in a cache of the cluster. */
@SpringBootApplication
@EnableCaching
public class ShopApplication {

  /** A product as it is cached. */
  public record Product(int number, String name, long cents) {}

  /** The table behind all instances, which counts its reads by number. */
  public static final class Table {
    private final ConcurrentMap<Integer, AtomicInteger> reads = new ConcurrentHashMap<>();

    /** Reads a row; numbers below 0 have none. */
    @Nullable Product read(int number) {
      reads.computeIfAbsent(number, key -> new AtomicInteger()).incrementAndGet();
      return number < 0 ? null : new Product(number, "product-" + number, 100L * number);
    }

    /** How often a row was read. */
    public int reads(int number) {
      AtomicInteger count = reads.get(number);
      return count == null ? 0 : count.get();
    }

    /** How often any row was read. */
    public int reads() {
      return reads.values().stream().mapToInt(AtomicInteger::get).sum();
    }
  }

  /** What users of the shop call. */
  @Service
  public static class Catalogue {
    private final Table table;

    Catalogue(Table table) {
      this.table = table;
    }

    /** A product, or null. */
    @Cacheable("products")
    public @Nullable Product product(int number) {
      return table.read(number);
    }

    /** A product, loaded by one thread of an instance. */
    @Cacheable(cacheNames = "products", sync = true)
    public @Nullable Product productOnce(int number) {
      return table.read(number);
    }

    /** Sets a product's price. */
    @CachePut(cacheNames = "products", key = "#number")
    public Product price(int number, long cents) {
      return new Product(number, "product-" + number, cents);
    }

    /** Forgets a product. */
    @CacheEvict("products")
    public void forget(int number) {}

    /** A text of several parameters, in a cache of which nothing is said. */
    @Cacheable("labels")
    public String label(String language, int number) {
      return language + ":" + table.read(number);
    }
  }
}
