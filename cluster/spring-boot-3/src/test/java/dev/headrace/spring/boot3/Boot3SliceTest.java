package dev.headrace.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.spring.boot3.LibraryApplication.Book;
import dev.headrace.spring.boot3.LibraryApplication.Shelves;
import dev.headrace.spring.test.HeadraceTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;

/** A test of the library's books alone, with Boot 3.5. */
@HeadraceTest(
    properties = {
      "headrace.caches.books.key-type=int",
      "headrace.caches.books.value-type=dev.headrace.spring.boot3.LibraryApplication$Book"
    },
    includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Books.class))
@ActiveProfiles("production")
@Import(Shelves.class)
final class Boot3SliceTest {
  @Autowired private Books books;
  @Autowired private Shelves shelves;
  @Autowired private Headrace node;
  @Autowired private ObjectProvider<Desk> desk;

  @Test
  void aBookIsReadOnceAndNothingElseIsStarted() {
    Book book = books.book(3);
    assertThat(books.book(3)).isEqualTo(book);
    assertThat(shelves.reads()).isEqualTo(1);
    assertThat(node.settings().clusterName()).startsWith("test-");
    assertThat(desk.getIfAvailable()).isNull();
  }

  @Test
  void theNodeIsNotLedToTheClusterOfTheApplication() {
    assertThat(node.settings().discovery()).isEqualTo(NodeSettings.defaults().discovery());
    assertThat(node.settings().capacity()).isEqualTo(1);
    assertThat(node.settings().segments()).as("what does not lead there").isEqualTo(64);
  }
}
