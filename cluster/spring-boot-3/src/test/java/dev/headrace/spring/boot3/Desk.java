package dev.headrace.spring.boot3;

import java.util.concurrent.CountDownLatch;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Serves books to readers. */
@RestController
public class Desk {
  private final Books books;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch closing = new CountDownLatch(1);

  Desk(Books books) {
    this.books = books;
  }

  /** The title of a book. */
  @GetMapping("/books/{number}")
  public String title(@PathVariable int number) {
    return books.book(number).title();
  }

  /** The title of a book that is looked up when the application has begun to close. */
  @GetMapping("/late/{number}")
  public String lateTitle(@PathVariable int number) throws InterruptedException {
    asked.countDown();
    closing.await();
    return books.book(number).title();
  }

  /** Whoever waits to be served late may be now. */
  @EventListener
  public void onClosing(ContextClosedEvent event) {
    closing.countDown();
  }

  /** Waits until somebody waits to be served late. */
  void awaitReader() throws InterruptedException {
    asked.await();
  }
}
