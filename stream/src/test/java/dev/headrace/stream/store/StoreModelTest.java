package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.KeyHash;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.store.OneSegment.Seen;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The store against a sorted map, with scans that are interrupted by everything. */
class StoreModelTest {

  private enum Kind {
    FILL,
    PUT,
    PUT_LARGE,
    PUT_EXPIRING,
    REMOVE,
    REMOVE_MANY,
    CLEAR,
    TICK,
    MAINTAIN,
    COMPACT,
    BEGIN_SCAN,
    SCAN
  }

  private record Step(Kind kind, int number, int size) {}

  private record Value(String text, long counter, long expiryMillis) {}

  /** A scan under way: what it has to bring, and what it has brought. */
  private static final class Scan {
    Cursor cursor = Cursor.START;
    final Set<String> presentThroughout;
    final Set<String> seen = new HashSet<>();

    Scan(Set<String> present) {
      presentThroughout = new HashSet<>(present);
    }
  }

  @Property(tries = 150)
  void holdsWhatASortedMapHolds(@ForAll("steps") List<Step> steps) {
    new Run(OneSegmentHashes.GOOD).play(steps);
  }

  @Property(tries = 150)
  void holdsItWhenHashesCollide(@ForAll("steps") List<Step> steps) {
    new Run(OneSegmentHashes.FEW_TAGS).play(steps);
  }

  @Property(tries = 100)
  void holdsItWhenPositionsAreEqual(@ForAll("steps") List<Step> steps) {
    new Run(OneSegmentHashes.FEW_POSITIONS).play(steps);
  }

  @Property(tries = 50)
  void holdsItAtTheEndsOfTheHashSpace(@ForAll("steps") List<Step> steps) {
    new Run(OneSegmentHashes.EXTREMES).play(steps);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(3, Kind.FILL),
            Tuple.of(20, Kind.PUT),
            Tuple.of(2, Kind.PUT_LARGE),
            Tuple.of(4, Kind.PUT_EXPIRING),
            Tuple.of(10, Kind.REMOVE),
            Tuple.of(2, Kind.REMOVE_MANY),
            Tuple.of(1, Kind.CLEAR),
            Tuple.of(2, Kind.TICK),
            Tuple.of(4, Kind.MAINTAIN),
            Tuple.of(1, Kind.COMPACT),
            Tuple.of(4, Kind.BEGIN_SCAN),
            Tuple.of(20, Kind.SCAN));
    return Combinators.combine(
            kinds, Arbitraries.integers().between(0, 999), Arbitraries.integers().between(0, 400))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(200);
  }

  /** One store, its model and the scans that are under way. */
  private static final class Run {

    private final OneSegment segment;
    private final TreeMap<String, Value> model;
    private final List<Scan> scans = new ArrayList<>();
    private long counter;

    Run(KeyHash hash) {
      segment = new OneSegment(hash);
      Comparator<String> byPosition =
          (a, b) -> Long.compareUnsigned(segment.position(a), segment.position(b));
      model = new TreeMap<>(byPosition.thenComparing(Comparator.naturalOrder()));
    }

    void play(List<Step> steps) {
      for (Step step : steps) {
        apply(step);
      }
      scans.add(new Scan(visible()));
      while (!scans.isEmpty()) {
        scan(0, 7, 4_000);
      }
      assertThat(segment.scanKeys(3, Projection.REPLICA)).containsExactlyElementsOf(model.keySet());
      assertThat(segment.store.entries()).isEqualTo(model.size());
      assertThat(segment.store.bytes()).isEqualTo(modelBytes());
    }

    private long modelBytes() {
      return model.entrySet().stream()
          .mapToLong(
              e ->
                  EntryLayout.entryBytes(
                      e.getKey().length(),
                      e.getValue().text().length(),
                      3,
                      e.getValue().counter(),
                      e.getValue().expiryMillis()))
          .sum();
    }

    private void apply(Step step) {
      int number = step.number();
      switch (step.kind()) {
        case FILL -> {
          for (int i = 0; i < 150; i++) {
            put("k" + (number + i * 7) % 1000, text(number + i, step.size()), 0);
          }
        }
        case PUT -> put("k" + number, text(number, step.size()), 0);
        case PUT_LARGE -> put("k" + number, text(number, step.size() * 300), 0);
        case PUT_EXPIRING ->
            put("k" + number, text(number, step.size()), segment.nowMillis + step.size());
        case REMOVE -> remove("k" + number);
        case REMOVE_MANY -> {
          for (int i = 0; i < 400; i++) {
            remove("k" + (number + i) % 1000);
          }
        }
        case CLEAR -> clear();
        case TICK -> tick(step.size());
        case MAINTAIN -> segment.replica.maintain();
        case COMPACT -> segment.replica.compact();
        case BEGIN_SCAN -> scans.add(new Scan(visible()));
        case SCAN -> scan(number, 1 + step.size() / 4, 1 + number * 40);
      }
      check("k" + number);
    }

    private static String text(int seed, int length) {
      StringBuilder text = new StringBuilder(length);
      Random random = new Random(seed);
      for (int i = 0; i < length; i++) {
        text.append((char) ('a' + random.nextInt(26)));
      }
      return text.toString();
    }

    private void put(String key, String value, long expiryMillis) {
      boolean added =
          segment.replica.put(
              segment.position(key),
              OneSegment.bytes(key),
              OneSegment.bytes(value),
              3,
              ++counter,
              expiryMillis);
      boolean absent = model.put(key, new Value(value, counter, expiryMillis)) == null;
      assertThat(added).isEqualTo(absent);
      if (hidden(model.get(key))) {
        scans.forEach(scan -> scan.presentThroughout.remove(key));
      }
    }

    private void remove(String key) {
      boolean present = model.remove(key) != null;
      assertThat(segment.remove(key)).isEqualTo(present);
      scans.forEach(scan -> scan.presentThroughout.remove(key));
    }

    private void clear() {
      segment.replica.clear();
      model.clear();
      scans.forEach(scan -> scan.presentThroughout.clear());
    }

    private void tick(int millis) {
      segment.nowMillis += millis;
      scans.forEach(scan -> scan.presentThroughout.retainAll(visible()));
    }

    private Set<String> visible() {
      Set<String> visible = new HashSet<>();
      model.forEach(
          (key, value) -> {
            if (!hidden(value)) {
              visible.add(key);
            }
          });
      return visible;
    }

    private boolean hidden(Value value) {
      return value.expiryMillis() != 0 && value.expiryMillis() <= segment.nowMillis;
    }

    private void check(String key) {
      Value expected = model.get(key);
      if (expected == null || hidden(expected)) {
        assertThat(segment.get(key)).isNull();
        assertThat(segment.find(key)).isNull();
        return;
      }
      assertThat(segment.get(key)).isEqualTo(expected.text());
      StoredEntry found = segment.find(key);
      assertThat(OneSegment.text(found.value())).isEqualTo(expected.text());
      assertThat(found.term()).isEqualTo(3);
      assertThat(found.counter()).isEqualTo(expected.counter());
      assertThat(found.expiryMillis()).isEqualTo(expected.expiryMillis());
    }

    private void scan(int number, int maxEntries, int maxBytes) {
      if (scans.isEmpty()) {
        return;
      }
      int which = number % scans.size();
      Scan scan = scans.get(which);
      ReadStatus status = segment.read(scan.cursor, maxEntries, maxBytes, Projection.ENTRIES);
      List<Seen> seen = segment.seen();
      assertThat(seen).hasSize(segment.reader.entries()).hasSizeLessThanOrEqualTo(maxEntries);
      assertThat(segment.out.position()).isEqualTo(segment.reader.bytes());
      assertThat(segment.reader.bytes()).isLessThanOrEqualTo(maxBytes);
      for (Seen entry : seen) {
        assertThat(scan.seen.add(entry.key())).as("first time for %s", entry.key()).isTrue();
        Value current = model.get(entry.key());
        assertThat(entry)
            .isEqualTo(
                new Seen(
                    entry.key(), current.text(), 3, current.counter(), current.expiryMillis()));
      }
      scan.cursor = segment.reader.next();
      if (status == ReadStatus.ENTRY_TOO_LARGE) {
        assertThat(seen).isEmpty();
        assertThat(segment.reader.requiredBytes()).isGreaterThan(maxBytes);
        scan(which, 1, segment.reader.requiredBytes());
      } else if (status == ReadStatus.DONE) {
        assertThat(scan.seen.containsAll(scan.presentThroughout)).isTrue();
        scans.remove(which);
      }
    }
  }
}
