package dev.headrace.stream.plan;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.FieldSummary;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.GroupedReductions;
import dev.headrace.api.stream.operator.Operand;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.api.stream.operator.Row;
import dev.headrace.stream.batch.EntryDecoder;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.function.ResultsCodec;
import dev.headrace.stream.operator.EntryChoice;
import dev.headrace.stream.operator.FunctionCall;
import dev.headrace.stream.operator.FunctionCall.Kind;
import dev.headrace.stream.operator.OperatorCompiler;
import dev.headrace.stream.operator.OperatorCompiler.Part;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.operator.RecordRowCodec;
import dev.headrace.stream.operator.RowCodec;
import dev.headrace.stream.plan.PlannedReductions.PlannedReduction;
import dev.headrace.stream.protocol.KeySelection;
import dev.headrace.stream.protocol.StreamOptions;
import dev.headrace.stream.protocol.StreamSource;
import dev.headrace.stream.publisher.EntryPublisher;
import dev.headrace.stream.publisher.Flattened;
import dev.headrace.stream.publisher.PulledPublisher;
import dev.headrace.stream.pull.CreditListener;
import dev.headrace.stream.pull.StreamEnvironment;
import dev.headrace.stream.token.ResumeToken;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream that a user prepares and that has not begun; the entrance of this package. Immutable,
 * for any thread.
 *
 * @param <K> the type of the cache's keys
 * @param <V> the type of the cache's values
 */
public final class StreamPlan<K, V> implements CacheStream<K, V> {

  private static final Duration MAX_DEADLINE = Duration.ofDays(365);

  /** The nodes that are asked at the same time for partial results, unless it is set. */
  private static final int REDUCING_NODES = 64;

  private final StreamEnvironment environment;
  private final CacheSettings<K, V> cache;
  private final int format;
  private final StreamOptions options;
  private final EntryChoice choice;
  private final Function<StreamOptions, ChangeStream<K, V>> changes;

  private StreamPlan(
      StreamEnvironment environment,
      CacheSettings<K, V> cache,
      int format,
      StreamOptions options,
      EntryChoice choice,
      Function<StreamOptions, ChangeStream<K, V>> changes) {
    this.environment = environment;
    this.cache = cache;
    this.format = format;
    this.options = options;
    this.choice = choice;
    this.changes = changes;
  }

  /**
   * A stream of all entries of a cache, with default settings, that no changes can follow.
   *
   * @param format the 32-bit hash of the formats of keys and values, which requests carry; 0 for
   *     any
   */
  public static <K, V> StreamPlan<K, V> over(
      StreamEnvironment environment, CacheSettings<K, V> cache, int format) {
    return over(
        environment,
        cache,
        format,
        options -> {
          throw new IllegalStateException("no changes of \"%s\" are told".formatted(cache.name()));
        });
  }

  /**
   * A stream of all entries of a cache, with default settings.
   *
   * @param format the 32-bit hash of the formats of keys and values, which requests carry; 0 for
   *     any
   * @param changes makes the stream of the content that these settings choose, and of its changes
   */
  public static <K, V> StreamPlan<K, V> over(
      StreamEnvironment environment,
      CacheSettings<K, V> cache,
      int format,
      Function<StreamOptions, ChangeStream<K, V>> changes) {
    return new StreamPlan<>(
        environment,
        cache,
        format,
        StreamOptions.defaults(environment.executor()),
        EntryChoice.ALL,
        changes);
  }

  private StreamPlan<K, V> with(StreamOptions changed) {
    return new StreamPlan<>(environment, cache, format, changed, choice, changes);
  }

  @Override
  public CacheStream<K, V> batchSize(int entries) {
    return with(options.withBatchSize(entries));
  }

  @Override
  public CacheStream<K, V> batchBytes(int bytes) {
    return with(options.withBatchBytes(bytes));
  }

  @Override
  public CacheStream<K, V> parallelism(int nodes) {
    return with(options.withParallelism(nodes));
  }

  @Override
  public CacheStream<K, V> delivery(Delivery delivery) {
    return with(options.withDelivery(Objects.requireNonNull(delivery, "delivery")));
  }

  @Override
  public CacheStream<K, V> segments(Set<Integer> segments) {
    return with(options.withSegments(environment.hashSpace().choice(segments)));
  }

  @Override
  public CacheStream<K, V> keys(Set<? extends K> keys) {
    return with(options.withKeys(KeySelection.of(keys, cache.keyCodec(), environment.hashSpace())));
  }

  @Override
  public CacheStream<K, V> resumeFrom(String token) {
    return with(options.withToken(ResumeToken.parse(Objects.requireNonNull(token, "token"))));
  }

  @Override
  public CacheStream<K, V> resumeFrom(Collection<String> tokens) {
    if (tokens.isEmpty()) {
      throw new IllegalArgumentException("tokens must not be empty: pass at least one");
    }
    List<ResumeToken> parsed =
        tokens.stream()
            .map(token -> ResumeToken.parse(Objects.requireNonNull(token, "token")))
            .toList();
    return with(options.withToken(ResumeToken.common(parsed, environment.hashSpace())));
  }

  @Override
  public CacheStream<K, V> adaptiveCredit() {
    return with(options.withPace(options.pace().asAdaptive()));
  }

  @Override
  public CacheStream<K, V> deadline(Duration deadline) {
    if (deadline.isNegative() || deadline.isZero() || deadline.compareTo(MAX_DEADLINE) > 0) {
      throw new IllegalArgumentException(
          "deadline must be above 0 and at most " + MAX_DEADLINE + ", but is " + deadline);
    }
    return with(options.withPace(options.pace().withDeadline(deadline.toNanos())));
  }

  @Override
  public CacheStream<K, V> executor(Executor executor) {
    return with(options.withExecutor(Objects.requireNonNull(executor, "executor")));
  }

  @Override
  public CacheStream<K, V> listener(StreamListener listener) {
    StreamOptions heard = options.withListener(Objects.requireNonNull(listener, "listener"));
    return with(
        listener instanceof CreditListener measuring
            ? heard.withPace(heard.pace().withRequestBytes(measuring.requestBytes()))
            : heard);
  }

  @Override
  public ContentPublisher<Map.Entry<K, V>> entries() {
    Codec<K> keys = cache.keyCodec();
    Codec<V> values = cache.valueCodec();
    return EntryPublisher.of(
        environment, options, source(Projection.ENTRIES), () -> EntryDecoder.entries(keys, values));
  }

  @Override
  public ContentPublisher<K> keys() {
    Codec<K> codec = cache.keyCodec();
    return EntryPublisher.of(
        environment, options, source(Projection.KEYS), () -> EntryDecoder.keys(codec));
  }

  @Override
  public ContentPublisher<V> values() {
    Codec<V> codec = cache.valueCodec();
    return EntryPublisher.of(
        environment, options, source(Projection.VALUES), () -> EntryDecoder.values(codec));
  }

  @Override
  public CacheStream<K, V> filter(EntryCondition condition) {
    return with(choice.and(Objects.requireNonNull(condition, "condition")));
  }

  @Override
  public <A> CacheStream<K, V> filter(FunctionName<A, Boolean> function, A argument) {
    return with(choice.and(call(Kind.FILTER, function, argument)));
  }

  private StreamPlan<K, V> with(EntryChoice changed) {
    compiler().check(changed);
    return new StreamPlan<>(environment, cache, format, options, changed, changes);
  }

  private static <A> FunctionCall call(Kind kind, FunctionName<A, ?> function, A argument) {
    Objects.requireNonNull(function, "function");
    return FunctionCall.of(kind, function, Objects.requireNonNull(argument, "argument"));
  }

  @Override
  public <A, R> ContentPublisher<R> map(FunctionName<A, R> function, A argument) {
    return results(call(Kind.MAP, function, argument), function.resultCodec());
  }

  @Override
  public <A, R> StreamPublisher<R> flatMap(FunctionName<A, R> function, A argument) {
    FunctionCall call = call(Kind.FLAT_MAP, function, argument);
    EntryPublisher<List<R>> entries = results(call, new ResultsCodec<>(function.resultCodec()));
    return new PulledPublisher<>(
        options.executor(),
        environment.executor(),
        signal -> new Flattened<>(entries.pulled(signal)));
  }

  private <R> EntryPublisher<R> results(FunctionCall call, Codec<R> codec) {
    return publisher(compiler().compileCall(choice, call), codec);
  }

  @Override
  public <R> ContentPublisher<R> map(Operand operand, Class<R> type) {
    Part part = compiler().decodable(operand);
    PlannedReductions.requireType(part, operand, type);
    if (type.isPrimitive()) {
      throw new IllegalArgumentException(
          "Elements cannot be of the type " + type + ": name the wrapper of a primitive type");
    }
    byte[] program = compiler().compileRows(choice.and(operand.isNotNull()), List.of(part));
    return publisher(program, RowCodec.ofPart(part, type));
  }

  @Override
  public ContentPublisher<Row> select(Operand... operands) {
    List<String> names = Arrays.stream(operands).map(Operand::toString).toList();
    if (Set.copyOf(names).size() < names.size()) {
      throw new IllegalArgumentException("A part is selected twice: " + names);
    }
    List<Part> parts = Arrays.stream(operands).map(compiler()::decodable).toList();
    return rows(parts, new RowCodec(names, parts));
  }

  @Override
  public <R extends Record> ContentPublisher<R> select(Class<R> type) {
    RecordRowCodec<R> codec = new RecordRowCodec<>(type, compiler());
    return rows(codec.parts(), codec);
  }

  private <R> ContentPublisher<R> rows(List<Part> parts, Codec<R> codec) {
    return publisher(compiler().compileRows(choice, parts), codec);
  }

  private <R> EntryPublisher<R> publisher(byte[] program, Codec<R> codec) {
    StreamSource source = source(Projection.VALUES, Operators.load(program));
    return EntryPublisher.of(environment, options, source, () -> EntryDecoder.values(codec));
  }

  @Override
  public ChangeStream<K, V> thenChanges() {
    String reason = noChangesBecause();
    if (reason != null) {
      throw new IllegalStateException(
          "Changes of \"%s\" cannot follow this stream: %s".formatted(cache.name(), reason));
    }
    return changes.apply(options);
  }

  private @Nullable String noChangesBecause() {
    if (!choice.isAll()) {
      return "it has a filter, and an entry may begin or cease to fit; filter the changes instead";
    }
    if (options.token() != null) {
      return "it resumes from a token of the content alone; pass a token of the changes to"
          + " thenChanges().resumeFrom";
    }
    if (options.listener() != null) {
      return "it has a StreamListener; pass a ChangeListener to thenChanges().listener";
    }
    if (options.delivery() != Delivery.EXACTLY_ONCE) {
      return "its delivery is " + options.delivery() + ", but changes come exactly once";
    }
    if (options.pace().deadlineNanos() > 0) {
      return "it has a deadline, but changes have no end";
    }
    return options.pace().adaptive()
        ? "it has adaptive credit, but changes are asked of all owners; leave adaptiveCredit out"
        : null;
  }

  @Override
  public Reduction<Long> count() {
    return reductions().count();
  }

  @Override
  public Reduction<FieldSummary> summarize(Operand number) {
    return reductions().summarize(number);
  }

  @Override
  public <G> GroupedReductions<G> groupBy(Operand part, Class<G> type) {
    return reductions().groupBy(part, type);
  }

  private PlannedReductions reductions() {
    return new PlannedReductions(this::partials, compiler(), cache.name());
  }

  /** Partial results: they are small, so that all nodes may be asked at once. */
  private StreamPublisher<byte[]> partials(@Nullable Part group, @Nullable Part number) {
    return partials(compiler().compileReduction(choice, group, number));
  }

  private StreamPublisher<byte[]> partials(byte[] program) {
    boolean chosen = options.parallelism() != CacheStream.DEFAULT_PARALLELISM;
    return EntryPublisher.of(
        environment,
        chosen ? options : options.withParallelism(REDUCING_NODES),
        source(Projection.VALUES, Operators.load(program)),
        () -> EntryDecoder.values(Codecs.bytes()));
  }

  @Override
  public <A, R> Reduction<Optional<R>> reduce(
      FunctionName<A, R> function, A argument, BinaryOperator<R> combiner) {
    Objects.requireNonNull(combiner, "combiner");
    return states(Kind.REDUCE, function, argument, combiner, Optional::ofNullable);
  }

  @Override
  public <A, S, R> Reduction<R> collect(
      FunctionName<A, S> function,
      A argument,
      Supplier<S> supplier,
      BinaryOperator<S> combiner,
      Function<? super S, ? extends R> finisher) {
    Objects.requireNonNull(supplier, "supplier");
    Objects.requireNonNull(combiner, "combiner");
    Objects.requireNonNull(finisher, "finisher");
    return states(
        Kind.COLLECT,
        function,
        argument,
        combiner,
        state -> finisher.apply(state == null ? supplier.get() : state));
  }

  private <A, S, R> Reduction<R> states(
      Kind kind,
      FunctionName<A, S> function,
      A argument,
      BinaryOperator<S> combiner,
      Function<@Nullable S, R> finisher) {
    byte[] program = compiler().compileCall(choice, call(kind, function, argument));
    return new PlannedReduction<>(
        partials(program), () -> new CombinedStates<>(function.resultCodec(), combiner, finisher));
  }

  /** Nodes of before do not know the program. */
  private static void requireProtocol(int spoken) {
    if (spoken < Operators.ADDED_PROTOCOL) {
      throw new UnavailableException(
          ("Conditions find components that a record has got since its cache began once all nodes"
                  + " know version %d of the protocol, and this cluster speaks version %d: upgrade"
                  + " the nodes that are left")
              .formatted(Operators.ADDED_PROTOCOL, spoken));
    }
  }

  private OperatorCompiler compiler() {
    return new OperatorCompiler(cache.keyCodec(), cache.valueCodec());
  }

  private StreamSource source(Projection projection) {
    Operators program = choice.isAll() ? null : Operators.load(compiler().compile(choice));
    return source(projection, program);
  }

  private StreamSource source(Projection projection, @Nullable Operators program) {
    if (program != null && program.looksAtAdded()) {
      requireProtocol(environment.ownership().view().protocol());
    }
    return new StreamSource(
        cache.name(), format, projection, environment.clusterIdentity(), program);
  }
}
