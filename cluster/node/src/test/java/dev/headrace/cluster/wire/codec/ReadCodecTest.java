package dev.headrace.cluster.wire.codec;

import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.WireException;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.operator.EntryChoice;
import dev.headrace.stream.operator.FunctionCall;
import dev.headrace.stream.operator.FunctionCall.Kind;
import dev.headrace.stream.operator.OperatorCompiler;
import dev.headrace.stream.operator.Operators;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ReadCodecTest {
  private final ReadRequestCodec codec = new ReadRequestCodec();

  /** Comparing by reflection takes a hundred times as long as encoding. */
  @Property(tries = 100)
  void everyRequestComesBackAsItWas(@ForAll long seed) {
    ReadRequest request = request(new Random(seed));
    ByteBuf bytes = encoded(request);

    assertThat(codec.decode(new WireInput().over(bytes)))
        .usingRecursiveComparison()
        .isEqualTo(request);
  }

  @Property(tries = 1000)
  void whatComesBackIsEncodedAlikeWithinItsBound(@ForAll long seed) {
    ReadRequest request = request(new Random(seed));
    ByteBuf bytes = encoded(request);

    assertThat((long) bytes.readableBytes()).isLessThanOrEqualTo(codec.boundBytes(request));
    assertThat(encoded(codec.decode(new WireInput().over(bytes.duplicate())))).isEqualTo(bytes);
  }

  @Property(tries = 1000)
  void aTruncatedRequestIsRefused(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 500) int missing) {
    ByteBuf bytes = encoded(request(new Random(seed)));
    bytes.writerIndex(Math.max(0, bytes.writerIndex() - missing));

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class);
  }

  @Property(tries = 5000)
  void anOverwrittenByteIsAnotherRequestOrRefused(
      @ForAll long seed, @ForAll int place, @ForAll byte value) {
    ByteBuf bytes = encoded(request(new Random(seed)));
    bytes.setByte(Math.floorMod(place, bytes.writerIndex()), value);
    ReadRequest back;
    try {
      back = codec.decode(new WireInput().over(bytes));
    } catch (WireException refused) {
      assertThat(refused).hasMessageMatching("(?s).+");
      return;
    }
    assertThat(back.segments()).hasSizeBetween(1, ReadRequest.MAX_SEGMENTS);
  }

  @Test
  void aForgedNumberOfSegmentsIsRefused() {
    ByteBuf bytes = Unpooled.buffer();
    WireOutput.writeName(bytes, "quotes");
    bytes.writeInt(0);
    WireOutput.writeVarLong(bytes, 1);
    WireOutput.writeVarInt(bytes, Integer.MAX_VALUE);

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("claims 2147483647 elements, but 1024 are allowed");
  }

  @Property(tries = 1000)
  void theAnswersPartsComeBackAsTheyWere(@ForAll long seed) {
    List<SegmentPart> parts = parts(new Random(seed));
    ByteBuf bytes = encodedParts(parts);

    assertThat((long) bytes.readableBytes()).isLessThanOrEqualTo(AnswerCodec.boundOfParts(parts));
    assertThat(AnswerCodec.decodeParts(new WireInput().over(bytes), Integer.MAX_VALUE))
        .isEqualTo(parts);
  }

  @Property(tries = 5000)
  void damagedPartsAreOthersOrRefused(
      @ForAll long seed, @ForAll int place, @ForAll byte value, @ForAll boolean cut) {
    ByteBuf bytes = encodedParts(parts(new Random(seed)));
    int at = Math.floorMod(place, bytes.writerIndex());
    if (cut) {
      bytes.writerIndex(at);
    } else {
      bytes.setByte(at, value);
    }
    List<SegmentPart> back;
    try {
      back = AnswerCodec.decodeParts(new WireInput().over(bytes), Integer.MAX_VALUE);
    } catch (WireException refused) {
      assertThat(refused).hasMessageMatching("(?s).+");
      return;
    }
    assertThat(back).hasSizeLessThanOrEqualTo(ReadRequest.MAX_SEGMENTS);
  }

  @Test
  void moreEntriesThanWereAskedForAreRefused() {
    List<SegmentPart> parts =
        List.of(
            new SegmentPart(1, 6, SegmentPart.Status.DONE, Cursor.START),
            new SegmentPart(2, 5, SegmentPart.Status.MORE, Cursor.after(7)));

    assertThatThrownBy(() -> AnswerCodec.decodeParts(new WireInput().over(encodedParts(parts)), 10))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("claims 11 entries, but 10 were asked for");
  }

  @Test
  void moreBytesThanWereAskedForAreRefused() {
    ByteBuf body = Unpooled.buffer().writeZero(AnswerCodec.ENTRIES_AT + 100);
    AnswerCodec.encodeFront(body, 0, 1, 0, -1, 100);

    assertThatThrownBy(() -> AnswerCodec.skipEntries(body, new WireInput().over(body), 99))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("claims 100 bytes of entries, but 99 were asked for");
  }

  private ByteBuf encoded(ReadRequest request) {
    ByteBuf bytes = Unpooled.buffer();
    codec.encode(request, bytes);
    return bytes;
  }

  private static ByteBuf encodedParts(List<SegmentPart> parts) {
    ByteBuf bytes = Unpooled.buffer();
    AnswerCodec.encodeParts(parts, bytes);
    return bytes;
  }

  private static ReadRequest request(Random r) {
    boolean keyed = r.nextInt(4) == 0;
    int count = keyed ? 1 : 1 + r.nextInt(r.nextBoolean() ? 5 : ReadRequest.MAX_SEGMENTS);
    byte[][] keys = keyed ? new byte[1 + r.nextInt(50)][] : null;
    for (int i = 0; keyed && i < keys.length; i++) {
      keys[i] = bytes(r);
    }
    Projection[] projections = {
      Projection.ENTRIES, Projection.KEYS, Projection.VALUES, Projection.REPLICA, Projection.EXPIRED
    };
    Projection projection = projections[r.nextInt(projections.length)];
    return new ReadRequest(
        r.nextBoolean() ? "quotes" : "\u00fcber",
        r.nextInt(),
        r.nextLong() >>> r.nextInt(64),
        r.ints(count, 0, 1 << 20).toArray(),
        r.ints(count, 0, 3).toArray(),
        cursor(r),
        1 + r.nextInt(1 << 20),
        1 + r.nextInt(1 << 30),
        r.nextBoolean(),
        projection,
        keys,
        projection.isForStreams() && r.nextBoolean() ? operators(r) : null);
  }

  private static Operators operators(Random r) {
    OperatorCompiler compiler = new OperatorCompiler(Codecs.string(), Codecs.of(Long.class));
    EntryCondition condition =
        r.nextBoolean() ? null : value().gt(r.nextLong()).or(key().startsWith("k" + r.nextInt()));
    EntryChoice choice = condition == null ? EntryChoice.ALL : EntryChoice.ALL.and(condition);
    return Operators.load(
        switch (r.nextInt(5)) {
          case 0 -> compiler.compile(choice);
          case 2 -> compiler.compile(choice.and(call(Kind.FILTER)));
          case 3 -> compiler.compileCall(choice, call(Kind.FLAT_MAP));
          case 1 -> compiler.compileRows(choice, List.of(compiler.decodable(key())));
          default -> compiler.compileReduction(choice, null, compiler.number(value()));
        });
  }

  private static FunctionCall call(Kind kind) {
    return FunctionCall.of(
        kind, FunctionName.of("any", Codecs.string(), Codecs.string()), "argument");
  }

  private static List<SegmentPart> parts(Random r) {
    SegmentPart.Status[] statuses = SegmentPart.Status.values();
    List<SegmentPart> parts = new ArrayList<>();
    for (int left = r.nextInt(r.nextBoolean() ? 3 : ReadRequest.MAX_SEGMENTS); left > 0; left--) {
      parts.add(
          new SegmentPart(
              r.nextInt(1 << 20),
              r.nextInt(1000),
              statuses[r.nextInt(statuses.length)],
              cursor(r)));
    }
    return parts;
  }

  private static Cursor cursor(Random r) {
    return switch (r.nextInt(3)) {
      case 0 -> Cursor.START;
      case 1 -> Cursor.after(r.nextLong());
      default -> Cursor.after(r.nextLong(), bytes(r));
    };
  }

  private static byte[] bytes(Random r) {
    byte[] bytes = new byte[r.nextInt(40)];
    r.nextBytes(bytes);
    return bytes;
  }
}
