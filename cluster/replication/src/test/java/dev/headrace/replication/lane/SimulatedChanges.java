package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.Change;
import dev.headrace.api.stream.Change.Kind;
import dev.headrace.api.stream.ChangeListener;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeEnvironment;
import dev.headrace.stream.change.ChangePlan;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.change.ChangeReaders;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.pull.StreamEnvironment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A reader of a cache's changes in a simulation. It keeps a copy, and each change must fit what the
 * copy had: the previous value is the one that is there, a key that is created is not there, and
 * numbers only grow. So a change that is lost or comes twice is found by the next one of its key,
 * or in the end, when the copy must be what the owners hold.
 *
 * <p>Now and then the reader crashes and goes on from its last token, on another node.
 */
final class SimulatedChanges {
  private static final long MILLIS = 1_000_000L;
  private static final long PATIENCE_NANOS = 1_500 * MILLIS;

  private final WriteSimulation world;
  private final SplittableRandom random;
  private final String cache;
  private final boolean latestOnly;
  private final int batchBytes;
  private final boolean slow;
  private Map<String, String> copy = new TreeMap<>();

  /** The number of the last change of each segment that was told, as far as it was. */
  private Map<Integer, Long> numbers = new HashMap<>();

  /** The keys of which anything was told since their range was read. */
  private Set<String> known = new HashSet<>();

  private @Nullable String token;
  private @Nullable Saved saved;
  private @Nullable LaneNode at;
  private @Nullable Reader reader;
  private long calls;
  private boolean faultsOver;
  private @Nullable AssertionError failure;
  private final Map<Long, Consumer<@Nullable ChangeAnswer>> waiting = new HashMap<>();
  private final List<Reader> allReaders = new ArrayList<>();

  int told;
  int replaced;
  int resumed;
  int begunAnew;

  /** What a crash leaves: the state that was stored together with the token. */
  private record Saved(Map<String, String> copy, Map<Integer, Long> numbers, Set<String> known) {}

  SimulatedChanges(WriteSimulation world, SplittableRandom random, String cache) {
    this.world = world;
    this.random = random;
    this.calls = (long) world.readers().size() << 32;
    this.cache = cache;
    this.latestOnly = random.nextInt(4) == 0;
    this.batchBytes = random.nextBoolean() ? 64 + random.nextInt(300) : 1 << 16;
    this.slow = random.nextInt(3) == 0;
  }

  /** Goes on wherever there is a node. */
  void begin() {
    List<NodeId> ids = new ArrayList<>(world.live.keySet());
    ids.sort(null);
    LaneNode node = world.live.get(ids.get(random.nextInt(ids.size())));
    if (world.shutOut.contains(node.id) || node.exchange.lanes().table() == null) {
      world.network.after(5 * MILLIS, this::begin);
      return;
    }
    Reader before = reader;
    if (before != null) {
      before.end();
    }
    at = node;
    node.exchange.onChanges(world::replied);
    Reader next = new Reader(node);
    allReaders.add(next);
    reader = next;
    String from = token;
    Saved state = saved;
    ChangeStream<String, String> stream = next.stream(from == null || state == null);
    if (from == null || state == null) {
      copy = new TreeMap<>();
      numbers = new HashMap<>();
      known = new HashSet<>();
    } else {
      copy = new TreeMap<>(state.copy);
      numbers = new HashMap<>(state.numbers);
      known = new HashSet<>(state.known);
      stream = stream.resumeFrom(from);
      resumed++;
    }
    (latestOnly ? stream.latestOnly() : stream).changes().subscribe(next);
    if (!world.quiet) { // one that goes on from its token asks anew, whatever it has waited for
      world.network.after(random.nextLong(800 * MILLIS), () -> crash(next));
    }
  }

  /** Forgets everything and reads the content. */
  void beginAnew() {
    token = null;
    saved = null;
    begin();
  }

  private void crash(Reader which) {
    if (reader == which && !faultsOver) {
      which.end();
      world.network.after(random.nextLong(30 * MILLIS), this::begin);
    }
  }

  /** Faults are over: the reader stays where it is, unless that is gone. */
  void calm() {
    faultsOver = true;
    Reader present = reader;
    if (present == null || at == null || world.live.get(at.id) != at || isShutOut()) {
      if (present != null) {
        present.end();
      }
      begin();
    }
  }

  /** A node is gone. While there are faults the reader is sent elsewhere in any case. */
  void crashed() {
    if (faultsOver) {
      calm();
    }
  }

  private boolean isShutOut() {
    return at != null && world.shutOut.contains(at.id);
  }

  /** An answer to a reader on some node. */
  void replied(ChangesReply reply) {
    Consumer<@Nullable ChangeAnswer> handler = waiting.remove(reply.number());
    if (handler != null) {
      handler.accept(reply.answer());
    }
  }

  /**
   * The copy must be what the primaries hold.
   *
   * @param unowned segments of which nobody holds anything
   */
  void check(Map<String, String> content, Set<Integer> unowned) {
    AssertionError first = failure;
    if (first != null) {
      throw first;
    }
    copy.keySet().removeIf(key -> unowned.contains(segment(key)));
    assertThat(copy).as("copy of %s by its changes", cache).isEqualTo(content);
  }

  private int segment(String key) {
    byte[] bytes = HexFormat.of().parseHex(key);
    return world.space.segment(world.space.hash(bytes));
  }

  String cache() {
    return cache;
  }

  /** One stream, and its subscriber. */
  /**
   * The world ends: closes all streams, which would keep it, since nobody answers them any more.
   */
  void release() {
    allReaders.forEach(Reader::release);
  }

  private final class Reader implements Subscriber<Change<String, String>> {
    private final LaneNode node;
    private boolean ended;
    private @Nullable Subscription subscription;
    private final Set<Runnable> undone = new LinkedHashSet<>();

    Reader(LaneNode node) {
      this.node = node;
    }

    /**
     * @param content whether the content comes first
     */
    ChangeStream<String, String> stream(boolean content) {
      StreamEnvironment environment =
          new StreamEnvironment(
              new Owners(),
              (to, request, handler) -> {
                throw new AssertionError("no entries are asked for");
              },
              new Clock(),
              this::execute,
              world.space,
              world.clusterId(),
              NodeId::toString,
              world.network::nowMillis,
              new StreamMemory(1 << 20));
      ChangeEnvironment changes =
          new ChangeEnvironment(environment, this::ask, new ChangeReaders(() -> 0));
      CacheSettings<String, String> settings = new CacheSettings<>(cache, TEXT, TEXT);
      ChangeStream<String, String> stream =
          content
              ? StreamPlan.over(
                      environment, settings, 0, ChangePlan.following(changes, settings, 0))
                  .batchBytes(batchBytes)
                  .thenChanges()
              : ChangePlan.over(changes, settings, 0).batchBytes(batchBytes);
      return stream
          .withPrevious()
          .listener(
              new ChangeListener() {
                @Override
                public void rangeReplaced(int segment) {
                  replaced++;
                }

                @Override
                public void consumed(Supplier<String> after) {
                  if (!ended && random.nextInt(3) == 0) {
                    token = after.get();
                    saved =
                        new Saved(
                            new TreeMap<>(copy), new HashMap<>(numbers), new HashSet<>(known));
                  }
                }
              });
    }

    private boolean lives() {
      return !ended && world.live.get(node.id) == node;
    }

    private void execute(Runnable task) {
      undone.add(task);
      world.network.after(
          random.nextLong(slow ? 30 * MILLIS : MILLIS),
          () -> {
            if (lives() && undone.remove(task)) {
              task.run();
            }
          });
    }

    void release() {
      end();
      while (!undone.isEmpty()) {
        Runnable task = undone.iterator().next();
        undone.remove(task);
        task.run();
      }
    }

    private void ask(NodeId owner, ChangeQuery query, Consumer<@Nullable ChangeAnswer> handler) {
      long number = ++calls;
      Consumer<@Nullable ChangeAnswer> once =
          answer -> {
            if (lives()) {
              handler.accept(answer);
            }
          };
      waiting.put(number, once);
      node.exchange.ask(owner, new ChangesRead(number, query));
      world.network.after(
          PATIENCE_NANOS,
          () -> {
            if (waiting.remove(number, once)) {
              once.accept(null);
            }
          });
    }

    void end() {
      ended = true;
      if (subscription != null) {
        subscription.cancel();
      }
    }

    @Override
    public void onSubscribe(Subscription offered) {
      subscription = offered;
      offered.request(1 + random.nextInt(5));
    }

    @Override
    public void onNext(Change<String, String> change) {
      told++;
      world.trace(() -> cache + " tells " + node.id + ": " + shown(change));
      try {
        take(change);
      } catch (AssertionError e) {
        failure = failure == null ? e : failure;
      }
      Subscription present = subscription;
      if (present != null && random.nextInt(slow ? 2 : 10) == 0) {
        world.network.after(random.nextLong(40 * MILLIS), () -> present.request(1));
      } else if (present != null) {
        present.request(1);
      }
    }

    @Override
    public void onError(Throwable reason) {
      if (ended) {
        return;
      }
      ended = true;
      if (!(reason instanceof StreamInterruptedException)
          && !(reason instanceof ResumeTokenException)) {
        failure = new AssertionError("the changes of " + cache + " ended", reason);
      }
      begunAnew++;
      token = null;
      saved = null;
      world.network.after(random.nextLong(20 * MILLIS), SimulatedChanges.this::begin);
    }

    @Override
    public void onComplete() {
      throw new AssertionError("changes have no end");
    }
  }

  private static String shown(Change<String, String> change) {
    String text = change.toString();
    return text.length() > 300 ? text.substring(0, 300) : text;
  }

  private void take(Change<String, String> change) {
    if (change instanceof Change.OfRange<String, String> ofRange) {
      if (change.kind() == Kind.REPLACED) {
        numbers.remove(change.segment());
        known.removeIf(ofRange::covers);
      }
    } else if (change instanceof Change.OfKey<String, String> ofKey) {
      checkFits(ofKey);
      known.add(ofKey.key());
    }
    change.applyTo(copy);
  }

  private void checkFits(Change.OfKey<String, String> change) {
    String present = copy.get(change.key());
    if (change.kind() == Kind.PRESENT) {
      assertThat(known).as("told twice: %s", change).doesNotContain(change.key());
      return;
    }
    Long before = numbers.put(change.segment(), change.version().counter());
    assertThat(before == null || before < change.version().counter())
        .as("%s comes after number %s", change, before)
        .isTrue();
    if (latestOnly) {
      return;
    }
    if (change.kind() == Kind.CREATED) {
      assertThat(present).as("before %s", change).isNull();
    } else if (present != null || known.contains(change.key())) {
      assertThat(change.previous()).as("before %s", change).isEqualTo(present);
    }
    // Otherwise the content was read when the entry had expired, and before it was removed.
  }

  private final class Owners implements Ownership {
    @Override
    public NodeId self() {
      throw new AssertionError("a reader of changes is nobody");
    }

    @Override
    public View view() {
      return world.table();
    }

    @Override
    public Timer.Cancellable awaitNewerThan(long epoch, Runnable task) {
      throw new AssertionError("a reader of changes asks for the newest table");
    }
  }

  private final class Clock implements Timer {
    @Override
    public long nanoTime() {
      return world.network.nowNanos();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
      boolean[] cancelled = new boolean[1];
      world.network.after(
          delayNanos,
          () -> {
            if (!cancelled[0]) {
              task.run();
            }
          });
      return () -> cancelled[0] = true;
    }
  }

  /** The text of some bytes. */
  static String text(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Bytes as hexadecimal digits. */
  private static final Codec<String> TEXT =
      new Codec<>() {
        @Override
        public String format() {
          return "bytes";
        }

        @Override
        public void encode(String value, ByteOutput out) {
          out.writeBytes(HexFormat.of().parseHex(value));
        }

        @Override
        public String decode(ByteInput in) {
          return text(in.readBytes(in.remaining()));
        }
      };
}
