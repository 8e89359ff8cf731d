package dev.headrace.jcache.processor;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.EntryUpdate;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.jcache.codec.ObjectCodec;
import dev.headrace.jcache.codec.ObjectFilter;
import dev.headrace.jcache.entry.EntryVerdict;
import dev.headrace.jcache.entry.LoadThrough;
import dev.headrace.jcache.entry.ProcessedEntry;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import javax.cache.processor.EntryProcessor;
import org.jspecify.annotations.Nullable;

/**
 * Runs processors of callers on entries of which this node is the primary, as far as it has their
 * classes and may read them. Thread-safe.
 */
public final class ProcessorRunner {

  /** The argument is an array of the processor and the array of its arguments. */
  static final FunctionName<byte[], byte[]> NAME =
      FunctionName.of("dev.headrace.jcache.invoke", Codecs.bytes(), Codecs.bytes());

  private final ClassLoader loader;
  private final @Nullable String pattern;

  /** Guarded by this. */
  private final Set<Class<?>> types = new HashSet<>();

  private volatile ObjectCodec codec;

  /** A processor with its entry, decoded. */
  @SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
  private record Invocation(
      EntryProcessor<Object, Object, Object> processor,
      @Nullable Object[] arguments,
      Object key,
      @Nullable Object value) {}

  /**
   * A runner.
   *
   * @param loader loads the classes
   * @param pattern which classes may be read, beside those in the packages of caches' types; null
   *     for none
   * @throws IllegalArgumentException if the pattern is none
   */
  public ProcessorRunner(ClassLoader loader, @Nullable String pattern) {
    this.loader = loader;
    this.pattern = pattern;
    this.codec = new ObjectCodec(new ObjectFilter(loader, Set.of(), pattern));
  }

  /** Classes in the packages of a cache's types may be read from now on. */
  public synchronized void allow(Class<?> keyType, Class<?> valueType) {
    boolean more = types.add(keyType);
    more |= types.add(valueType);
    if (more) {
      codec = new ObjectCodec(new ObjectFilter(loader, Set.copyOf(types), pattern));
    }
  }

  /** The function, to be registered on a node. */
  public NodeFunctions<byte[], byte[]> functions() {
    // Whoever decodes the bytes here can tell what cannot be decoded here.
    Codec<byte[]> objects = Codecs.encoded(ObjectCodec.FORMAT);
    return NodeFunctions.over(objects, objects).process(NAME, this::run);
  }

  private EntryUpdate<byte[], byte[]> run(byte[] key, byte @Nullable [] value, byte[] call) {
    Invocation invocation;
    try {
      invocation = decoded(key, value, call);
    } catch (RuntimeException | LinkageError e) { // of a class that is not here, or not allowed
      return EntryUpdate.keep(InvocationAnswer.elsewhere());
    }
    ProcessedEntry<Object, Object> entry =
        new ProcessedEntry<>(invocation.key(), invocation.value(), new LoadThrough<>(null, false));
    Object result;
    try {
      result = invocation.processor().process(entry, invocation.arguments());
    } catch (RuntimeException e) {
      return EntryUpdate.keep(threw(e));
    }
    try {
      return update(value != null, entry.verdict(result));
    } catch (RuntimeException e) { // of a value or a result that cannot be serialized or read
      return EntryUpdate.keep(InvocationAnswer.elsewhere());
    }
  }

  @SuppressWarnings("unchecked") // It gets entries of the types that its caller's cache has.
  private Invocation decoded(byte[] key, byte @Nullable [] value, byte[] call) {
    ObjectCodec present = codec;
    Object[] parts = (Object[]) present.decode(ByteInput.of(call));
    return new Invocation(
        (EntryProcessor<Object, Object, Object>) parts[0],
        (Object[]) parts[1],
        present.decode(ByteInput.of(key)),
        value == null ? null : present.decode(ByteInput.of(value)));
  }

  private byte[] threw(RuntimeException thrown) {
    try {
      return tried(InvocationAnswer.threw(thrown));
    } catch (RuntimeException e) { // of an exception that cannot be serialized or read
      return InvocationAnswer.elsewhere();
    }
  }

  /** An answer that can be read, at least here: its reader has the same rules. */
  private byte[] tried(byte[] answer) {
    var unused = InvocationAnswer.of(answer, codec);
    return answer;
  }

  private EntryUpdate<byte[], byte[]> update(boolean found, EntryVerdict<Object, Object> verdict) {
    byte[] answer = tried(InvocationAnswer.ran(found, verdict.action(), verdict.result()));
    return switch (verdict.action()) {
      case LEAVE, ACCESS -> EntryUpdate.keep(answer);
      case PUT, STORE ->
          EntryUpdate.set(
              ObjectCodec.bytes(Objects.requireNonNull(verdict.value(), "value")), answer);
      case REMOVE, DROP -> EntryUpdate.remove(answer);
    };
  }
}
