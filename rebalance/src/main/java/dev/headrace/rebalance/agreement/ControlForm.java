package dev.headrace.rebalance.agreement;

import dev.headrace.api.LostSegments;
import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.Ended;
import dev.headrace.rebalance.agreement.ControlMessage.FirstWrite;
import dev.headrace.rebalance.agreement.ControlMessage.GiveBack;
import dev.headrace.rebalance.agreement.ControlMessage.GiveUp;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.agreement.ControlMessage.Leave;
import dev.headrace.rebalance.agreement.ControlMessage.Lost;
import dev.headrace.rebalance.agreement.ControlMessage.RangeRepair;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.agreement.ControlMessage.Refuse;
import dev.headrace.rebalance.agreement.ControlMessage.SetAside;
import dev.headrace.rebalance.agreement.ControlMessage.Stalled;
import dev.headrace.rebalance.agreement.ControlMessage.StatusRequest;
import dev.headrace.rebalance.agreement.ControlMessage.Unreachable;
import dev.headrace.rebalance.publish.StampSearch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.rebalance.table.TableSlice;
import dev.headrace.rebalance.table.Text;
import dev.headrace.rebalance.table.bits.BitOutput;
import dev.headrace.stream.NodeId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The binary form of control messages: a version of the protocol, a kind, then the fields in their
 * order, numbers in all their bytes. A list begins with its length, what may be missing with a
 * flag.
 *
 * <p>Nodes greet before they know what the other one understands. So the form of {@link Hello}, of
 * what is in it included, stays as it is: later versions add fields at its end, and earlier ones
 * leave unread what they do not know.
 */
final class ControlForm {
  private static final byte HELLO = 1;

  /** How the messages of a type are written and read. */
  private record Kind<M extends ControlMessage>(
      int number, Class<M> type, BiConsumer<M, BitOutput> writer, Function<ByteBuffer, M> reader) {

    void write(ControlMessage message, BitOutput out) {
      writer.accept(type.cast(message), out);
    }
  }

  private static final List<Kind<?>> KINDS =
      List.of(
          new Kind<>(HELLO, Hello.class, ControlForm::putHello, ControlForm::hello),
          new Kind<>(2, Append.class, ControlForm::putAppend, ControlForm::append),
          new Kind<>(
              3,
              Refuse.class,
              (refuse, out) -> putReason(out, refuse.viewMark(), refuse.reason()),
              in -> new Refuse(in.getLong(), Text.decode(in))),
          new Kind<>(4, FirstWrite.class, (first, out) -> {}, in -> new FirstWrite()),
          new Kind<>(
              5,
              Leave.class,
              (leave, out) -> putLongs(out, leave.owesNothingAt()),
              in -> new Leave(in.getLong())),
          new Kind<>(6, Appended.class, ControlForm::putAppended, ControlForm::appended),
          new Kind<>(7, RangeStamps.class, ControlForm::putStamps, ControlForm::stamps),
          new Kind<>(8, RangeRepair.class, ControlForm::putRepair, ControlForm::repair),
          new Kind<>(
              9,
              StatusRequest.class,
              (request, out) -> putLongs(out, request.viewMark()),
              in -> new StatusRequest(in.getLong())),
          new Kind<>(10, Stalled.class, ControlForm::putStalled, ControlForm::stalled),
          new Kind<>(
              11,
              Lost.class,
              (lost, out) -> putRow(out, lost.segment(), lost.segmentEpoch()),
              in -> new Lost(in.getInt(), in.getLong())),
          new Kind<>(12, GiveBack.class, ControlForm::putGiveBack, ControlForm::giveBack),
          new Kind<>(13, GiveUp.class, ControlForm::putGiveUp, ControlForm::giveUp),
          new Kind<>(
              14,
              Unreachable.class,
              (unreachable, out) -> putNodes(out, unreachable.nodes()),
              in -> new Unreachable(nodes(in))),
          new Kind<>(
              15,
              SetAside.class,
              ControlForm::putSetAside,
              in -> new SetAside(in.getLong(), in.getLong(), Text.decode(in))),
          new Kind<>(
              16,
              Ended.class,
              (ended, out) -> putNodes(out, ended.nodes()),
              in -> new Ended(nodes(in))));

  private ControlForm() {}

  static byte[] encode(ControlMessage message, int protocol) {
    BitOutput out = new BitOutput();
    out.bits(protocol, Byte.SIZE);
    for (Kind<?> kind : KINDS) {
      if (kind.type().isInstance(message)) {
        out.bits(kind.number(), Byte.SIZE);
        kind.write(message, out);
      }
    }
    ByteBuffer bytes = ByteBuffer.allocate(out.length());
    out.copyTo(bytes);
    return bytes.array();
  }

  static ControlMessage decode(ByteBuffer in, ProtocolVersions known) {
    try {
      byte version = in.get();
      byte number = in.get();
      boolean greeting = number == HELLO;
      if (!greeting && !known.contains(version)) {
        throw new WireException(
            "A control message is of version %d of the protocol, and this node knows %s: run releases on the nodes that follow each other"
                .formatted(version, known));
      }
      ControlMessage message = content(number, in);
      if (in.hasRemaining() && !greeting) {
        throw new WireException(
            in.remaining() + " bytes follow a control message of kind " + number);
      }
      return message;
    } catch (BufferUnderflowException e) {
      throw new WireException(
          "A control message is cut off: " + in.remaining() + " bytes are left", e);
    } catch (IllegalArgumentException e) {
      // Values that a message's own checks refuse are damage like any other.
      throw new WireException("A control message is damaged: " + e.getMessage(), e);
    }
  }

  private static ControlMessage content(byte number, ByteBuffer in) {
    for (Kind<?> kind : KINDS) {
      if (kind.number() == number) {
        return kind.reader().apply(in);
      }
    }
    throw new WireException("There is no control message of kind " + number);
  }

  // ---- Messages

  private static void putHello(Hello hello, BitOutput out) {
    putLongs(out, hello.sequence(), hello.viewMark());
    hello.member().encode(out.room(hello.member().encodedBytes()));
    putTerms(hello.terms(), out);
    putHeader(out, hello.stored());
    putHeader(out, hello.inForce());
    putLongs(out, hello.promisedBallot());
    putFlag(out, hello.leavesBehind());
    putFlag(out, hello.wantsAnswer());
  }

  private static Hello hello(ByteBuffer in) {
    return new Hello(
        in.getLong(),
        in.getLong(),
        Member.decode(in),
        terms(in),
        header(in),
        header(in),
        in.getLong(),
        flag(in),
        flag(in));
  }

  private static void putTerms(ClusterTerms terms, BitOutput out) {
    putText(out, terms.clusterName());
    putInts(out, terms.segments(), terms.owners(), terms.maxEntryBytes());
    putText(out, terms.placement());
    Duration after = terms.lostSegments().recreateAfter();
    putFlag(out, terms.lostSegments().whenEnded());
    putFlag(out, after != null);
    putLongs(out, after == null ? 0 : after.getSeconds());
    putInts(out, after == null ? 0 : after.getNano());
    putFlag(out, terms.hashSeed().isPresent());
    putLongs(out, terms.hashSeed().orElse(0));
  }

  private static ClusterTerms terms(ByteBuffer in) {
    String name = Text.decode(in);
    int segments = in.getInt();
    int owners = in.getInt();
    int maxEntryBytes = in.getInt();
    String placement = Text.decode(in);
    LostSegments lost = lostSegments(in);
    boolean given = flag(in);
    long seed = in.getLong();
    return new ClusterTerms(
        name,
        segments,
        owners,
        maxEntryBytes,
        placement,
        lost,
        given ? OptionalLong.of(seed) : OptionalLong.empty());
  }

  private static LostSegments lostSegments(ByteBuffer in) {
    boolean whenEnded = flag(in);
    boolean given = flag(in);
    long seconds = in.getLong();
    int nanos = in.getInt();
    if (seconds < 0 || nanos < 0 || nanos >= 1_000_000_000) {
      throw new WireException(
          "A control message has lost segments begin anew after %d s and %d ns"
              .formatted(seconds, nanos));
    }
    return new LostSegments(given ? Duration.ofSeconds(seconds, nanos) : null, whenEnded);
  }

  private static void putAppend(Append append, BitOutput out) {
    putLongs(out, append.viewMark(), append.ballot(), append.askedNanos(), append.echoNanos());
    putLongs(out, append.newestEpoch(), append.inForceEpoch(), append.fromEpoch());
    SegmentTable image = append.image();
    putFlag(out, image != null);
    if (image != null) {
      out.append(image.encoded());
    }
    putInts(out, append.deltas().size());
    append.deltas().forEach(delta -> out.append(delta.encoded()));
  }

  private static Append append(ByteBuffer in) {
    return new Append(
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        flag(in) ? SegmentTable.decode(in) : null,
        list(in, "deltas", TableDelta::decode));
  }

  private static void putAppended(Appended appended, BitOutput out) {
    putLongs(out, appended.viewMark(), appended.promisedBallot(), appended.storedEpoch());
    putLongs(out, appended.installedEpoch(), appended.askedNanos(), appended.sentNanos());
    putLongs(out, appended.stamp());
  }

  private static Appended appended(ByteBuffer in) {
    return new Appended(
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong());
  }

  private static void putStalled(Stalled stalled, BitOutput out) {
    putReason(out, stalled.viewMark(), stalled.reason());
    out.append(stalled.inForce().encoded());
  }

  private static Stalled stalled(ByteBuffer in) {
    return new Stalled(in.getLong(), Text.decode(in), SegmentTable.decode(in));
  }

  private static void putRepair(RangeRepair repair, BitOutput out) {
    putLongs(out, repair.viewMark());
    out.append(repair.slice().encoded());
  }

  private static RangeRepair repair(ByteBuffer in) {
    return new RangeRepair(in.getLong(), TableSlice.decode(in));
  }

  private static void putStamps(RangeStamps stamps, BitOutput out) {
    putLongs(out, stamps.viewMark(), stamps.epoch(), stamps.membersStamp());
    putInts(out, stamps.from(), stamps.to());
    out.bits(stamps.stamps().size(), Byte.SIZE);
    stamps.stamps().forEach(stamp -> putLongs(out, stamp));
  }

  private static RangeStamps stamps(ByteBuffer in) {
    long viewMark = in.getLong();
    long epoch = in.getLong();
    long membersStamp = in.getLong();
    int from = in.getInt();
    int to = in.getInt();
    int count = in.get();
    if (from < 0 || to <= from || count < 0 || count > StampSearch.PARTS) {
      throw new WireException(
          "A control message has %d stamps of segments %d to %d".formatted(count, from, to));
    }
    return new RangeStamps(
        viewMark, epoch, membersStamp, from, to, list(count, in, ByteBuffer::getLong));
  }

  private static void putGiveBack(GiveBack back, BitOutput out) {
    putRow(out, back.segment(), back.segmentEpoch());
    putLongs(out, back.keeper().high(), back.keeper().low());
  }

  private static GiveBack giveBack(ByteBuffer in) {
    return new GiveBack(in.getInt(), in.getLong(), node(in));
  }

  private static void putGiveUp(GiveUp up, BitOutput out) {
    putInts(out, up.rows().size());
    up.rows().forEach(row -> putRow(out, row.segment(), row.segmentEpoch()));
  }

  private static GiveUp giveUp(ByteBuffer in) {
    return new GiveUp(list(in, "segments", row -> new GiveUp.Row(row.getInt(), row.getLong())));
  }

  // ---- Fields

  private static void putLongs(BitOutput out, long... values) {
    for (long value : values) {
      out.bits(value, Long.SIZE);
    }
  }

  private static void putInts(BitOutput out, int... values) {
    for (int value : values) {
      out.bits(value, Integer.SIZE);
    }
  }

  private static void putRow(BitOutput out, int segment, long segmentEpoch) {
    putInts(out, segment);
    putLongs(out, segmentEpoch);
  }

  private static void putReason(BitOutput out, long viewMark, String reason) {
    putLongs(out, viewMark);
    putText(out, reason);
  }

  private static void putSetAside(SetAside aside, BitOutput out) {
    putLongs(out, aside.viewMark(), aside.epoch());
    putText(out, aside.reason());
  }

  private static void putText(BitOutput out, String text) {
    Text.encode(text, out.room(Text.encodedBytes(text)));
  }

  private static void putHeader(BitOutput out, @Nullable TableHeader header) {
    putFlag(out, header != null);
    if (header != null) {
      header.encode(out.room(header.encodedBytes()));
    }
  }

  private static @Nullable TableHeader header(ByteBuffer in) {
    return flag(in) ? TableHeader.decode(in) : null;
  }

  private static void putNodes(BitOutput out, List<NodeId> nodes) {
    putInts(out, nodes.size());
    nodes.forEach(node -> putLongs(out, node.high(), node.low()));
  }

  private static List<NodeId> nodes(ByteBuffer in) {
    return list(in, "nodes", ControlForm::node);
  }

  private static NodeId node(ByteBuffer in) {
    return new NodeId(in.getLong(), in.getLong());
  }

  private static <T> List<T> list(ByteBuffer in, String what, Function<ByteBuffer, T> element) {
    int count = in.getInt();
    if (count < 0) {
      throw new WireException("A control message has " + count + " " + what);
    }
    return list(count, in, element);
  }

  /** The list grows with what is really there: each element takes some bytes or fails. */
  private static <T> List<T> list(int count, ByteBuffer in, Function<ByteBuffer, T> element) {
    List<T> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(element.apply(in));
    }
    return all;
  }

  private static void putFlag(BitOutput out, boolean flag) {
    out.bits(flag ? 1 : 0, Byte.SIZE);
  }

  private static boolean flag(ByteBuffer in) {
    byte flag = in.get();
    if (flag != 0 && flag != 1) {
      throw new WireException("A flag of a control message is " + flag);
    }
    return flag == 1;
  }
}
