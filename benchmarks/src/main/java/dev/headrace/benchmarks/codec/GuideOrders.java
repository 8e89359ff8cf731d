package dev.headrace.benchmarks.codec;

import dev.headrace.benchmarks.harness.Entries;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The order record of the guide to codecs, in the collections that programs use most. */
final class GuideOrders {
  private static final LocalDate FIRST_DAY = LocalDate.of(2026, 1, 1);
  private static final List<String> COLOURS = List.of("red", "green", "blue", "grün", "noir");

  private GuideOrders() {}

  /** What is ordered. */
  record Item(String name, int count, BigDecimal price) {}

  /** An order. */
  record Order(
      long number,
      LocalDate day,
      List<Item> items,
      Map<String, Set<String>> labels,
      Optional<URI> tracking,
      Duration patience) {}

  /** An order with one to five items, and with an address for tracking if it is an even one. */
  static Order order(int i, Entries texts) {
    List<Item> items = new ArrayList<>();
    for (int item = 0; item <= i % 5; item++) {
      items.add(
          new Item(
              "article " + texts.key(i + item),
              1 + (i + item) % 12,
              BigDecimal.valueOf(99 + (i * 7919L + item) % 100_000, 2)));
    }
    Map<String, Set<String>> labels = new HashMap<>();
    labels.put("colour", new HashSet<>(List.of(COLOURS.get(i % 5), COLOURS.get((i + 1) % 5))));
    labels.put("channel", new HashSet<>(List.of(i % 3 == 0 ? "shop" : "web")));
    Optional<URI> tracking =
        i % 2 == 0
            ? Optional.of(URI.create("https://parcels.example/track/" + texts.key(i)))
            : Optional.empty();
    return new Order(
        2_026_000_000L + i,
        FIRST_DAY.plusDays(i % 365),
        items,
        labels,
        tracking,
        Duration.ofMinutes(30 + i % 300));
  }
}
