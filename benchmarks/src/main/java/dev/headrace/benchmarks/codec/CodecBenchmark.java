package dev.headrace.benchmarks.codec;

import dev.headrace.benchmarks.harness.ForkedBenchmark;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Encodes and decodes one object; many of a kind take turns, so that none is predicted. */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Threads(1)
@Fork(
    value = 1,
    jvmArgsAppend = {ForkedBenchmark.SMALL_HEAP, ForkedBenchmark.COLLECTOR})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class CodecBenchmark extends ForkedBenchmark {

  /** The kind of object, see {@code CodecSubject}. */
  @Param({
    "key",
    "text",
    "bytes",
    "number",
    "uuid",
    "instant",
    "enumeration",
    "record",
    "order",
    "order-kryo",
    "order-json",
    "order-cbor",
    "order-smile"
  })
  String codec;

  private EncodedObjects<?> encoded;

  /** Makes the objects. */
  @Setup(Level.Trial)
  public void make() {
    encoded = new EncodedObjects<>(CodecSubject.of(codec));
  }

  /** Encodes an object into a reused buffer. */
  @Benchmark
  public int encode() {
    return encoded.encodeNext();
  }

  /** Decodes an object. */
  @Benchmark
  public Object decode() {
    return encoded.decodeNext();
  }
}
