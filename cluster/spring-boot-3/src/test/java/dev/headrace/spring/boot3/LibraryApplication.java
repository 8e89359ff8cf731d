package dev.headrace.spring.boot3;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;

/** A library that serves books, which are read from slow shelves once. */
@SpringBootApplication
@EnableCaching
public class LibraryApplication {

  /** A book as it is cached. */
  public record Book(int number, String title) {}

  /** What all instances read from. */
  public static final class Shelves {
    private final AtomicInteger reads = new AtomicInteger();

    Book read(int number) {
      reads.incrementAndGet();
      return new Book(number, "title-" + number);
    }

    int reads() {
      return reads.get();
    }
  }
}
