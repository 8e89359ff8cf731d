package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.cluster.node.NodeCluster;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** A cache as a map, whose views are used while others write. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MapViewTest {
  private NodeCluster cluster;

  @BeforeAll
  void start() {
    cluster = NodeCluster.of(1);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private ConcurrentMap<String, String> map(TestInfo test) {
    Cache<String, String> cache =
        cluster.node(0).cache(test.getDisplayName(), String.class, String.class);
    cache.putAll(Map.of("a", "1", "b", "2", "c", "3"));
    return cache.asMap();
  }

  @Test
  void removeIfOfValuesSparesWhatHasChangedSinceItWasSeen(TestInfo test) {
    ConcurrentMap<String, String> map = map(test);
    boolean removed =
        map.values()
            .removeIf(
                value -> {
                  map.replace("b", "2", "new");
                  return !value.equals("3");
                });
    assertThat(removed).isTrue();
    assertThat(map).isEqualTo(Map.of("b", "new", "c", "3"));
    removed =
        map.values().removeIf(value -> map.replace("b", "new", "newer") && value.equals("new"));
    assertThat(removed).as("nothing was removed").isFalse();
  }

  @Test
  void removeIfOfEntriesSparesWhatHasChangedSinceItWasSeen(TestInfo test) {
    ConcurrentMap<String, String> map = map(test);
    boolean removed =
        map.entrySet().removeIf(entry -> map.put(entry.getKey(), entry.getValue() + "!") != null);
    assertThat(removed).isFalse();
    assertThat(map).isEqualTo(Map.of("a", "1!", "b", "2!", "c", "3!"));
    assertThat(map.entrySet().removeIf(entry -> entry.getValue().equals("1!"))).isTrue();
    assertThat(map).containsOnlyKeys("b", "c");
  }

  @Test
  void iteratorsRemoveWhatTheyHaveSeen(TestInfo test) {
    ConcurrentMap<String, String> map = map(test);
    Iterator<Map.Entry<String, String>> entries = map.entrySet().iterator();
    assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
    while (entries.hasNext()) {
      Map.Entry<String, String> next = entries.next();
      if (next.getKey().equals("b")) {
        map.put("b", "new");
      }
      entries.remove();
      assertThatThrownBy(entries::remove).isInstanceOf(IllegalStateException.class);
    }
    assertThat(map).isEqualTo(Map.of("b", "new"));
    Iterator<String> values = map.values().iterator();
    values.next();
    map.put("b", "newer");
    values.remove();
    assertThat(map).isEqualTo(Map.of("b", "newer"));
    Iterator<String> keys = map.keySet().iterator();
    keys.next();
    map.put("b", "newest");
    keys.remove();
    assertThat(map).as("a key is removed whatever its value").isEmpty();
  }

  @Test
  void anEntrySetsItsValue(TestInfo test) {
    ConcurrentMap<String, String> map = map(test);
    for (Map.Entry<String, String> entry : map.entrySet()) {
      String before = entry.getValue();
      assertThat(entry.setValue(before + "!")).isEqualTo(before);
      assertThat(entry).isEqualTo(Map.entry(entry.getKey(), before + "!"));
      assertThat(entry.hashCode()).isEqualTo(Map.entry(entry.getKey(), before + "!").hashCode());
      assertThatNullPointerException().isThrownBy(() -> entry.setValue(null));
    }
    assertThat(map).isEqualTo(Map.of("a", "1!", "b", "2!", "c", "3!"));
    Iterator<Map.Entry<String, String>> entries = map.entrySet().iterator();
    entries.next().setValue("mine");
    entries.remove();
    assertThat(map).as("what it has set it may remove").hasSize(2);
  }

  @Test
  void viewsRemoveLikeThoseOfOtherMaps(TestInfo test) {
    ConcurrentMap<String, String> map = map(test);
    map.putAll(Map.of("d", "4", "e", "5", "f", "6"));
    assertThat(map.values().remove("1")).isTrue();
    assertThat(map.values().remove("1")).isFalse();
    assertThat(map.values().removeAll(Set.of("2", "x"))).isTrue();
    assertThat(map.keySet().removeAll(List.of("c", "x"))).isTrue();
    assertThat(map.keySet().retainAll(Set.of("d", "e", "f"))).isFalse();
    assertThat(map.entrySet().removeAll(Set.of(Map.entry("d", "4"), Map.entry("e", "x")))).isTrue();
    assertThat(map.containsValue("5")).isTrue();
    assertThat(map.values().contains("4")).isFalse();
    assertThat(map.entrySet().retainAll(Set.of(Map.entry("e", "5")))).isTrue();
    assertThat(map.values().retainAll(Set.of("5"))).isFalse();
    assertThat(map.keySet().removeIf(key -> key.equals("e"))).isTrue();
    assertThat(map.keySet().isEmpty()).isTrue();
    assertThat(map.values().isEmpty()).isTrue();
  }

  @Test
  void isEqualToMapsOfTheSameEntries(TestInfo test) {
    ConcurrentMap<String, String> map = map(test);
    Map<String, String> same = new HashMap<>(Map.of("a", "1", "b", "2", "c", "3"));
    assertThat(map.equals(same)).isTrue();
    assertThat(map.hashCode()).isEqualTo(same.hashCode());
    same.put("c", "x");
    assertThat(map.equals(same)).isFalse();
    assertThat(map.equals(Map.of("a", "1"))).isFalse();
  }

  /** Answers everything as done, and has no streams. */
  private static final class Obliging extends RoutelessPort {
    @Override
    public void submit(Request request, Completion completion) {
      completion.done(new OperationReply(0, Outcome.DONE, true, null, 0, 0, 0, 0));
    }
  }

  @Test
  void whatConcernsOneKeyStreamsNothing() {
    Cache<String, String> cache =
        CacheView.open(
            AgreedSettings.fixed(CacheSettings.of("quotes", String.class, String.class)),
            new CacheView.Place(
                () -> 1,
                () -> 0,
                () -> 1 << 20,
                () -> Operation.PROCESS_PROTOCOL,
                new Obliging(),
                Runnable::run,
                new CacheView.Patience(() -> 0, () -> 0, 1),
                new KeyQueues()),
            noStreams());
    ConcurrentMap<String, String> map = cache.asMap();
    assertThat(map.keySet().remove("k")).isTrue();
    assertThat(map.keySet().contains("k")).isTrue();
    assertThat(map.keySet().removeAll(List.of("k", "l"))).isTrue();
    assertThat(map.entrySet().remove(Map.entry("k", "v"))).isTrue();
    assertThat(map.entrySet().contains(Map.entry("k", "v"))).isFalse();
    map.keySet().clear();
    map.values().clear();
  }

  static <K, V> CacheView.Streams<K, V> noStreams() {
    return new CacheView.Streams<>(
        () -> {
          throw new AssertionError("no stream is wanted");
        },
        () -> {
          throw new AssertionError("no changes are wanted");
        },
        requests -> {
          throw new AssertionError("no sink is wanted");
        });
  }
}
