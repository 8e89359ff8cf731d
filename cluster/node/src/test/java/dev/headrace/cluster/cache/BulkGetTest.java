package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a getAll asks whom, and what it makes of the answers. */
class BulkGetTest {
  private static final int NODES = 6;

  private final Port port = new Port();
  private final Map<String, byte[]> stored = new HashMap<>();
  private final Requests<String, byte[]> requests =
      new Requests<>(
          AgreedSettings.fixed(CacheSettings.of("c", String.class, byte[].class)),
          () -> 64,
          () -> 0,
          () -> 1 << 20,
          () -> Operation.PROCESS_PROTOCOL);
  private int wakes;

  private record Question(NodeId node, BulkRead read, BulkCompletion completion) {}

  /** Knows a table of six nodes, and keeps questions until they are answered. */
  private final class Port implements CallPort {
    final RoutingTable routing = new RoutingTable(NODES, 64);
    final ArrayDeque<Question> waiting = new ArrayDeque<>();
    final List<Question> asked = new ArrayList<>();
    final List<String> alone = new ArrayList<>();
    boolean joined = true;
    boolean available = true;

    @Override
    public @Nullable OperationReply readHere(Request get) {
      throw new AssertionError("one key is not read alone before it was asked for");
    }

    @Override
    public void submit(Request get, Completion completion) {
      String key = Codecs.string().decode(ByteInput.of(get.key()));
      alone.add(key);
      if (available) {
        completion.done(new OperationReply(0, Outcome.DONE, true, stored.get(key), 0, 0, 0, 0));
      } else {
        completion.failed(OperationFault.of(Failure.UNAVAILABLE, "nobody is there", get));
      }
    }

    @Override
    public Batch batch() {
      return RoutingTable.singly(this);
    }

    @Override
    public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
      return joined ? routing.caller.readRoutes(keys) : null;
    }

    @Override
    public WriteGroups group(EncodedWrites writes) {
      return WriteGroups.alone(writes);
    }

    @Override
    public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
      throw new AssertionError("nothing is written");
    }

    @Override
    public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
      Question question = new Question(node, read, completion);
      asked.add(question);
      waiting.add(question);
    }

    void answerAll() {
      for (int left = waiting.size(); left > 0; left--) {
        Question question = waiting.remove();
        question.completion.ended(answer(question.read, Integer.MAX_VALUE));
      }
    }
  }

  private BulkReadReply answer(BulkRead read, int most) {
    int count = Math.min(most, read.keys().count());
    int[] lengths = new int[count];
    byte[] values = new byte[0];
    for (int i = 0; i < count; i++) {
      byte[] value = stored.get(Codecs.string().decode(ByteInput.of(read.keys().key(i))));
      lengths[i] = value == null ? BulkReadReply.ABSENT : value.length;
      if (value != null) {
        int end = values.length;
        values = Arrays.copyOf(values, end + value.length);
        System.arraycopy(value, 0, values, end, value.length);
      }
    }
    return new BulkReadReply(0, 1, lengths, values);
  }

  private List<String> stored(int count) {
    List<String> keys = IntStream.range(0, count).mapToObj(i -> "key-" + i).toList();
    keys.forEach(key -> stored.put(key, new byte[] {(byte) key.hashCode(), 1}));
    return keys;
  }

  private BulkGet<String, byte[]> get(List<String> keys) {
    return new BulkGet<>(keys, requests.encodeKeys(keys), requests, port, () -> wakes++);
  }

  private void checkFound(BulkGet<String, byte[]> get) {
    assertThat(get.failure()).isNull();
    assertThat(get.found().keySet()).isEqualTo(stored.keySet());
    get.found().forEach((key, value) -> assertThat(value).isEqualTo(stored.get(key)));
  }

  @Test
  void noKeysAreNoMessages() {
    assertThat(get(List.of()).step()).isTrue();
    assertThat(port.asked).isEmpty();
  }

  @Test
  void twoThousandKeysCostOneMessagePerNode() {
    BulkGet<String, byte[]> get = get(stored(2000));
    assertThat(get.step()).isFalse();
    assertThat(port.asked.stream().map(Question::node)).doesNotHaveDuplicates().hasSize(NODES);
    port.answerAll();
    assertThat(wakes).isEqualTo(1);
    assertThat(get.step()).isTrue();
    checkFound(get);
    assertThat(port.alone).isEmpty();
  }

  @Test
  void absentKeysAreNotInTheResultAndTwiceIsOnce() {
    stored(2);
    BulkGet<String, byte[]> get = get(List.of("key-0", "absent", "key-1", "key-0"));
    assertThat(get.step()).isFalse();
    port.answerAll();
    assertThat(get.step()).isTrue();
    checkFound(get);
  }

  @Test
  void messagesAreBoundedByKeysByBytesAndByTheirNumber() {
    List<String> keys = new ArrayList<>(stored(30_000));
    keys.addAll(IntStream.range(0, 300).mapToObj(i -> i + "x".repeat(4000)).toList());
    BulkGet<String, byte[]> get = get(keys);
    while (!get.step()) {
      assertThat(port.waiting.size()).isBetween(1, BulkGet.MAX_MESSAGES);
      port.answerAll();
    }
    checkFound(get);
    assertThat(port.asked)
        .allSatisfy(
            question -> {
              assertThat(question.read.keys().count()).isBetween(1, BulkRead.MAX_KEYS);
              assertThat(question.read.keys().bytes().length)
                  .isLessThanOrEqualTo(BulkRead.MAX_KEY_BYTES);
            });
  }

  @Test
  void aKeyLargerThanAMessageGoesAlone() {
    String large = "x".repeat(BulkRead.MAX_KEY_BYTES + 1);
    List<String> keys = List.of("a", large, large + "y");
    keys.forEach(key -> stored.put(key, new byte[1]));
    BulkGet<String, byte[]> get = get(keys);
    while (!get.step()) {
      port.answerAll();
    }
    checkFound(get);
    assertThat(port.asked)
        .allSatisfy(
            question ->
                assertThat(
                        question.read.keys().bytes().length < 10
                            || question.read.keys().count() == 1)
                    .isTrue());
  }

  @Test
  void whatAnAnswerHasNoRoomForIsAskedForAgain() {
    BulkGet<String, byte[]> get = get(stored(100));
    while (!get.step()) {
      Question question = port.waiting.remove();
      question.completion.ended(answer(question.read, 3));
    }
    checkFound(get);
    assertThat(port.asked.size()).isBetween(34, 34 + NODES);
    assertThat(port.alone).isEmpty();
  }

  @Test
  void onlyWhatIsNotToldPlainlyIsAskedForAlone() {
    BulkGet<String, byte[]> get = get(stored(600));
    assertThat(get.step()).isFalse();
    Set<String> left = new HashSet<>();
    for (Question question : List.copyOf(port.waiting)) {
      BulkReadReply whole = answer(question.read, Integer.MAX_VALUE);
      int last = whole.lengths().length - 1;
      int[] lengths = whole.lengths().clone();
      lengths[last] = BulkReadReply.ALONE;
      left.add(Codecs.string().decode(ByteInput.of(question.read.keys().key(last))));
      byte[] values = Arrays.copyOf(whole.values(), whole.values().length - 2);
      question.completion.ended(new BulkReadReply(0, 1, lengths, values));
    }
    assertThat(get.step()).isTrue();
    checkFound(get);
    assertThat(port.alone).containsExactlyInAnyOrderElementsOf(left);
  }

  @Test
  void theKeysOfANodeThatIsLostAreAskedForAlone() {
    BulkGet<String, byte[]> get = get(stored(600));
    assertThat(get.step()).isFalse();
    Question lost = port.waiting.remove();
    lost.completion.ended(null);
    port.answerAll();
    assertThat(get.step()).isTrue();
    checkFound(get);
    assertThat(port.alone).hasSize(lost.read.keys().count());
  }

  @Test
  void theKeysOfANodeThatTakesLongAreAskedOthersForTogetherAndOnce() {
    BulkGet<String, byte[]> get = get(stored(600));
    assertThat(get.step()).isFalse();
    Question slow = port.waiting.remove();
    assertThat(slow.completion.hasOthers()).isTrue();
    slow.completion.slow();
    port.answerAll();
    int before = port.asked.size();
    assertThat(get.step()).isFalse();
    List<Question> others = port.asked.subList(before, port.asked.size());
    assertThat(others)
        .isNotEmpty()
        .allMatch(question -> !question.node.equals(slow.node))
        .noneMatch(question -> question.completion.hasOthers());
    assertThat(others.stream().mapToInt(question -> question.read.keys().count()).sum())
        .isEqualTo(slow.read.keys().count());
    port.answerAll();
    assertThat(get.step()).isTrue();
    checkFound(get);
    assertThat(port.alone).isEmpty();
  }

  @Test
  void anAnswerWithoutAnyKeyIsNone() {
    BulkGet<String, byte[]> get = get(stored(10));
    assertThat(get.step()).isFalse();
    for (Question question : List.copyOf(port.waiting)) {
      question.completion.ended(new BulkReadReply(0, 1, new int[0], new byte[0]));
    }
    assertThat(get.step()).isTrue();
    checkFound(get);
    assertThat(port.alone).hasSize(10);
  }

  @Test
  void withoutATableEveryKeyIsAskedForAlone() {
    port.joined = false;
    BulkGet<String, byte[]> get = get(stored(10));
    assertThat(get.step()).isTrue();
    checkFound(get);
    assertThat(port.alone).hasSize(10);
  }

  @Test
  void whatAnOperationFailsWithIsTheResult() {
    port.joined = false;
    port.available = false;
    BulkGet<String, byte[]> get = get(stored(10));
    assertThat(get.step()).isTrue();
    assertThat(get.failure()).isInstanceOf(UnavailableException.class);
  }

  @Test
  void aCodecThatFailsEndsItWhenAllAnswersHaveCome() {
    AssertionError broken = new AssertionError("a codec with an error");
    Codec<byte[]> throwing =
        new Codec<>() {
          @Override
          public String format() {
            return Codecs.bytes().format();
          }

          @Override
          public void encode(byte[] value, ByteOutput out) {
            throw broken;
          }

          @Override
          public byte[] decode(ByteInput in) {
            throw broken;
          }
        };
    CacheSettings<String, byte[]> settings = new CacheSettings<>("c", Codecs.string(), throwing);
    Requests<String, byte[]> failing =
        new Requests<>(
            AgreedSettings.fixed(settings),
            () -> 64,
            () -> 0,
            () -> 1 << 20,
            () -> Operation.PROCESS_PROTOCOL);
    List<String> keys = stored(600);
    BulkGet<String, byte[]> get =
        new BulkGet<>(keys, failing.encodeKeys(keys), failing, port, () -> wakes++);
    assertThat(get.step()).isFalse();
    Question question = port.waiting.remove();
    question.completion.ended(answer(question.read, Integer.MAX_VALUE));
    assertThat(get.step()).as("others are under way").isFalse();
    port.answerAll();
    assertThat(get.step()).isTrue();
    assertThat(get.failure()).isSameAs(broken);
  }
}
