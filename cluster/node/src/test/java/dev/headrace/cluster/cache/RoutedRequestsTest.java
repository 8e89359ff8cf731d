package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The order in which the requests of a putAll leave. */
class RoutedRequestsTest {
  private static final int NODES = 6;

  private final RoutingTable routing = new RoutingTable(NODES, 64);
  private final List<Integer> slices = new ArrayList<>();
  private boolean joined = true;

  /** Routes and does nothing else. */
  private final CallPort port =
      new CallPort() {
        @Override
        public @Nullable OperationReply readHere(Request get) {
          throw new AssertionError("nothing is read");
        }

        @Override
        public void submit(Request request, Completion completion) {
          throw new AssertionError("an iterator submits nothing");
        }

        @Override
        public Batch batch() {
          throw new AssertionError("an iterator submits nothing");
        }

        @Override
        public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
          throw new AssertionError("nothing is read");
        }

        @Override
        public WriteGroups group(EncodedWrites writes) {
          return WriteGroups.alone(writes);
        }

        @Override
        public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
          slices.add(keys.count());
          return joined ? routing.caller.writeRoutes(keys) : null;
        }

        @Override
        public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
          throw new AssertionError("nothing is read");
        }
      };

  private static Request put(String key, int valueBytes) {
    byte[] encoded = key.getBytes(StandardCharsets.UTF_8);
    return Request.set(Kind.PUT, "c", 1, encoded, new byte[valueBytes], 0, false);
  }

  private static List<Request> puts(int count, int valueBytes) {
    return IntStream.range(0, count).mapToObj(i -> put("key-" + i, valueBytes)).toList();
  }

  private List<Request> routed(List<Request> requests) {
    List<Request> routed = new ArrayList<>();
    new RoutedRequests(requests.iterator(), port).forEachRemaining(routed::add);
    return routed;
  }

  /** How often the next request goes to another node than the one before. */
  private int changes(List<Request> requests) {
    int changes = 0;
    for (int i = 1; i < requests.size(); i++) {
      NodeId before = routing.owner(requests.get(i - 1).key());
      changes += before.equals(routing.owner(requests.get(i).key())) ? 0 : 1;
    }
    return changes;
  }

  @Test
  void requestsForOneNodeFollowEachOther() {
    List<Request> puts = puts(RoutedRequests.MAX_REQUESTS, 10);
    assertThat(changes(puts)).isGreaterThan(500);
    List<Request> routed = routed(puts);
    assertThat(routed).containsExactlyInAnyOrderElementsOf(puts);
    assertThat(changes(routed)).isEqualTo(NODES - 1);
  }

  @Test
  void requestsAboutOneKeyKeepTheirOrder() {
    List<Request> puts = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      puts.add(put("key-" + i % 3, i));
    }
    List<Request> routed = routed(puts);
    for (int key = 0; key < 3; key++) {
      byte[] encoded = ("key-" + key).getBytes(StandardCharsets.UTF_8);
      assertThat(routed.stream().filter(put -> Arrays.equals(put.key(), encoded)))
          .isSortedAccordingTo((a, b) -> Integer.compare(a.value().length, b.value().length))
          .hasSize(300);
    }
  }

  @Test
  void someAreRoutedAtATimeSoThatAllNodesAreBusy() {
    List<Request> puts = puts(5000, 10);
    assertThat(routed(puts)).containsExactlyInAnyOrderElementsOf(puts);
    assertThat(slices).containsExactly(1024, 1024, 1024, 1024, 904);
  }

  @Test
  void largeOnesAreBoundedByTheirBytes() {
    List<Request> puts = puts(100, 200 << 10);
    assertThat(routed(puts)).containsExactlyInAnyOrderElementsOf(puts);
    assertThat(slices).allMatch(count -> count <= 6).hasSizeGreaterThan(16);
  }

  @Test
  void withoutATableTheyKeepTheirOrder() {
    joined = false;
    List<Request> puts = puts(100, 10);
    assertThat(routed(puts)).isEqualTo(puts);
  }

  @Test
  void afterTheLastThereIsNone() {
    Iterator<Request> empty = new RoutedRequests(List.<Request>of().iterator(), port);
    assertThat(empty.hasNext()).isFalse();
    assertThatThrownBy(empty::next).isInstanceOf(NoSuchElementException.class);
    assertThat(slices).isEmpty();
  }
}
