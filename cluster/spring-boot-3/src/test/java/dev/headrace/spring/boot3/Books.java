package dev.headrace.spring.boot3;

import dev.headrace.spring.boot3.LibraryApplication.Book;
import dev.headrace.spring.boot3.LibraryApplication.Shelves;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Finds books. */
@Service
public class Books {
  private final Shelves shelves;

  Books(Shelves shelves) {
    this.shelves = shelves;
  }

  /** A book. */
  @Cacheable("books")
  public Book book(int number) {
    return shelves.read(number);
  }
}
