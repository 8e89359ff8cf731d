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
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.rebalance.table.TableSlice;
import dev.headrace.rebalance.table.Text;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The binary form of control messages: a version, a kind, then the fields in their order. */
final class ControlForm {

  private static final byte VERSION = 3;
  private static final byte HELLO = 1;
  private static final byte APPEND = 2;
  private static final byte REFUSE = 3;
  private static final byte FIRST_WRITE = 4;
  private static final byte LEAVE = 5;
  private static final byte APPENDED = 6;
  private static final byte RANGE_STAMPS = 7;
  private static final byte RANGE_REPAIR = 8;
  private static final byte STATUS_REQUEST = 9;
  private static final byte STALLED = 10;
  private static final byte LOST = 11;
  private static final byte GIVE_BACK = 12;
  private static final byte GIVE_UP = 13;
  private static final byte UNREACHABLE = 14;
  private static final byte SET_ASIDE = 15;
  private static final byte ENDED = 16;

  private ControlForm() {}

  static byte[] encode(ControlMessage message) {
    if (message instanceof Hello hello) {
      return encode(hello);
    }
    if (message instanceof Append append) {
      return encode(append);
    }
    if (message instanceof Appended appended) {
      return encode(appended);
    }
    if (message instanceof RangeStamps stamps) {
      return encode(stamps);
    }
    if (message instanceof Stalled stalled) {
      return encode(stalled);
    }
    if (message instanceof RangeRepair repair) {
      ByteBuffer out = start(RANGE_REPAIR, 8 + repair.slice().encodedBytes());
      out.putLong(repair.viewMark());
      repair.slice().encode(out);
      return written(out);
    }
    if (message instanceof Refuse refuse) {
      ByteBuffer out = start(REFUSE, 8 + Text.encodedBytes(refuse.reason()));
      out.putLong(refuse.viewMark());
      Text.encode(refuse.reason(), out);
      return written(out);
    }
    return encodeShort(message);
  }

  private static byte[] encodeShort(ControlMessage message) {
    if (message instanceof Leave leave) {
      ByteBuffer out = start(LEAVE, 1);
      putFlag(out, leave.owesNothing());
      return written(out);
    }
    if (message instanceof StatusRequest statusRequest) {
      return written(start(STATUS_REQUEST, 8).putLong(statusRequest.viewMark()));
    }
    if (message instanceof Lost lost) {
      return written(start(LOST, 12).putInt(lost.segment()).putLong(lost.segmentEpoch()));
    }
    if (message instanceof GiveBack back) {
      return written(
          start(GIVE_BACK, 28)
              .putInt(back.segment())
              .putLong(back.segmentEpoch())
              .putLong(back.keeper().high())
              .putLong(back.keeper().low()));
    }
    if (message instanceof GiveUp up) {
      ByteBuffer out = start(GIVE_UP, 4 + 12 * up.rows().size());
      out.putInt(up.rows().size());
      up.rows().forEach(row -> out.putInt(row.segment()).putLong(row.segmentEpoch()));
      return written(out);
    }
    if (message instanceof Unreachable unreachable) {
      return encode(UNREACHABLE, unreachable.nodes());
    }
    if (message instanceof Ended ended) {
      return encode(ENDED, ended.nodes());
    }
    if (message instanceof SetAside aside) {
      ByteBuffer out = start(SET_ASIDE, 8 + Text.encodedBytes(aside.reason()));
      out.putLong(aside.viewMark());
      Text.encode(aside.reason(), out);
      return written(out);
    }
    return written(start(FIRST_WRITE, 0));
  }

  private static byte[] encode(byte kind, List<NodeId> nodes) {
    ByteBuffer out = start(kind, 4 + 16 * nodes.size());
    out.putInt(nodes.size());
    nodes.forEach(node -> out.putLong(node.high()).putLong(node.low()));
    return written(out);
  }

  static ControlMessage decode(ByteBuffer in) {
    need(in, 2);
    byte version = in.get();
    byte kind = in.get();
    if (version != VERSION) {
      throw new WireException(
          "A control message has the unknown version "
              + version
              + ", where this node knows "
              + VERSION
              + ": run one version of Headrace on all nodes");
    }
    ControlMessage message = content(kind, in);
    if (in.hasRemaining()) {
      throw new WireException(in.remaining() + " bytes follow a control message of kind " + kind);
    }
    return message;
  }

  /** Values that a message's own checks refuse are damage like any other. */
  private static ControlMessage content(byte kind, ByteBuffer in) {
    try {
      return switch (kind) {
        case HELLO -> hello(in);
        case APPEND -> append(in);
        case APPENDED -> appended(in);
        case RANGE_STAMPS -> rangeStamps(in);
        case RANGE_REPAIR -> new RangeRepair(int64(in), TableSlice.decode(in));
        case REFUSE -> new Refuse(int64(in), Text.decode(in));
        case FIRST_WRITE -> new FirstWrite();
        case LEAVE -> new Leave(flag(in));
        case STATUS_REQUEST -> new StatusRequest(int64(in));
        case STALLED -> new Stalled(int64(in), Text.decode(in), SegmentTable.decode(in));
        case LOST -> lost(in);
        case GIVE_BACK -> giveBack(in);
        case GIVE_UP -> giveUp(in);
        case UNREACHABLE -> new Unreachable(nodes(in));
        case ENDED -> new Ended(nodes(in));
        case SET_ASIDE -> new SetAside(int64(in), Text.decode(in));
        default -> throw new WireException("There is no control message of kind " + kind);
      };
    } catch (IllegalArgumentException e) {
      throw new WireException("A control message is damaged: " + e.getMessage(), e);
    }
  }

  private static byte[] encode(Hello hello) {
    ClusterTerms terms = hello.terms();
    int bytes = 8 + 8 + hello.member().encodedBytes() + Text.encodedBytes(terms.clusterName());
    bytes += 3 * 4 + Text.encodedBytes(terms.placement()) + 2 + 8 + 4 + 1 + 8;
    bytes += headerBytes(hello.stored()) + headerBytes(hello.inForce()) + 8 + 1;
    ByteBuffer out = start(HELLO, bytes);
    out.putLong(hello.sequence()).putLong(hello.viewMark());
    hello.member().encode(out);
    Text.encode(terms.clusterName(), out);
    out.putInt(terms.segments()).putInt(terms.owners()).putInt(terms.maxEntryBytes());
    Text.encode(terms.placement(), out);
    encode(terms.lostSegments(), out);
    putFlag(out, terms.hashSeed().isPresent());
    out.putLong(terms.hashSeed().orElse(0));
    putHeader(out, hello.stored());
    putHeader(out, hello.inForce());
    out.putLong(hello.promisedBallot());
    putFlag(out, hello.wantsAnswer());
    return written(out);
  }

  private static void encode(LostSegments lost, ByteBuffer out) {
    Duration after = lost.recreateAfter();
    putFlag(out, lost.whenEnded());
    putFlag(out, after != null);
    out.putLong(after == null ? 0 : after.getSeconds()).putInt(after == null ? 0 : after.getNano());
  }

  private static LostSegments lostSegments(ByteBuffer in) {
    boolean whenEnded = flag(in);
    boolean given = flag(in);
    need(in, 12);
    long seconds = in.getLong();
    int nanos = in.getInt();
    if (seconds < 0 || nanos < 0 || nanos >= 1_000_000_000) {
      throw new WireException(
          "A control message has lost segments begin anew after "
              + seconds
              + " s and "
              + nanos
              + " ns");
    }
    return new LostSegments(given ? Duration.ofSeconds(seconds, nanos) : null, whenEnded);
  }

  private static Hello hello(ByteBuffer in) {
    long sequence = int64(in);
    long viewMark = int64(in);
    Member member = Member.decode(in);
    ClusterTerms terms = terms(in);
    return new Hello(
        sequence, viewMark, member, terms, header(in), header(in), int64(in), flag(in));
  }

  private static ClusterTerms terms(ByteBuffer in) {
    String name = Text.decode(in);
    need(in, 12);
    int segments = in.getInt();
    int owners = in.getInt();
    int maxEntryBytes = in.getInt();
    String placement = Text.decode(in);
    LostSegments lost = lostSegments(in);
    boolean given = flag(in);
    OptionalLong seed = OptionalLong.of(int64(in));
    return new ClusterTerms(
        name,
        segments,
        owners,
        maxEntryBytes,
        placement,
        lost,
        given ? seed : OptionalLong.empty());
  }

  private static byte[] encode(Append append) {
    SegmentTable image = append.image();
    int bytes = 7 * 8 + 1 + (image == null ? 0 : image.encodedBytes()) + 4;
    for (TableDelta delta : append.deltas()) {
      bytes = Math.addExact(bytes, delta.encodedBytes());
    }
    ByteBuffer out = start(APPEND, bytes);
    out.putLong(append.viewMark()).putLong(append.ballot()).putLong(append.askedNanos());
    out.putLong(append.echoNanos()).putLong(append.newestEpoch());
    out.putLong(append.inForceEpoch()).putLong(append.fromEpoch());
    putFlag(out, image != null);
    if (image != null) {
      image.encode(out);
    }
    out.putInt(append.deltas().size());
    for (TableDelta delta : append.deltas()) {
      delta.encode(out);
    }
    return written(out);
  }

  private static Append append(ByteBuffer in) {
    long viewMark = int64(in);
    long ballot = int64(in);
    long askedNanos = int64(in);
    long echoNanos = int64(in);
    long newestEpoch = int64(in);
    long inForceEpoch = int64(in);
    long fromEpoch = int64(in);
    @Nullable SegmentTable image = flag(in) ? SegmentTable.decode(in) : null;
    need(in, 4);
    int count = in.getInt();
    if (count < 0) {
      throw new WireException("A control message has " + count + " deltas");
    }
    // Grows with what is really there: every delta takes some bytes or fails.
    List<TableDelta> deltas = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      deltas.add(TableDelta.decode(in));
    }
    return new Append(
        viewMark,
        ballot,
        askedNanos,
        echoNanos,
        newestEpoch,
        inForceEpoch,
        fromEpoch,
        image,
        deltas);
  }

  private static byte[] encode(Appended appended) {
    ByteBuffer out = start(APPENDED, 7 * 8);
    out.putLong(appended.viewMark()).putLong(appended.promisedBallot());
    out.putLong(appended.storedEpoch()).putLong(appended.installedEpoch());
    out.putLong(appended.askedNanos()).putLong(appended.sentNanos()).putLong(appended.stamp());
    return written(out);
  }

  private static Appended appended(ByteBuffer in) {
    need(in, 7 * 8);
    return new Appended(
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong());
  }

  private static byte[] encode(Stalled stalled) {
    int bytes = 8 + Text.encodedBytes(stalled.reason()) + stalled.inForce().encodedBytes();
    ByteBuffer out = start(STALLED, bytes);
    out.putLong(stalled.viewMark());
    Text.encode(stalled.reason(), out);
    stalled.inForce().encode(out);
    return written(out);
  }

  private static byte[] encode(RangeStamps stamps) {
    ByteBuffer out = start(RANGE_STAMPS, 3 * 8 + 2 * 4 + 1 + 8 * stamps.stamps().size());
    out.putLong(stamps.viewMark()).putLong(stamps.epoch()).putLong(stamps.membersStamp());
    out.putInt(stamps.from()).putInt(stamps.to()).put((byte) stamps.stamps().size());
    stamps.stamps().forEach(out::putLong);
    return written(out);
  }

  private static RangeStamps rangeStamps(ByteBuffer in) {
    need(in, 3 * 8 + 2 * 4 + 1);
    long viewMark = in.getLong();
    long epoch = in.getLong();
    long membersStamp = in.getLong();
    int from = in.getInt();
    int to = in.getInt();
    int count = in.get();
    if (from < 0 || to <= from || count < 0 || count > StampSearch.PARTS) {
      throw new WireException(
          "A control message has " + count + " stamps of segments " + from + " to " + to);
    }
    List<Long> stamps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      stamps.add(int64(in));
    }
    return new RangeStamps(viewMark, epoch, membersStamp, from, to, stamps);
  }

  private static Lost lost(ByteBuffer in) {
    need(in, 12);
    return new Lost(in.getInt(), in.getLong());
  }

  private static GiveBack giveBack(ByteBuffer in) {
    need(in, 28);
    return new GiveBack(in.getInt(), in.getLong(), new NodeId(in.getLong(), in.getLong()));
  }

  private static GiveUp giveUp(ByteBuffer in) {
    need(in, 4);
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / 12) {
      throw new WireException("A control message gives up " + count + " segments");
    }
    List<GiveUp.Row> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(new GiveUp.Row(in.getInt(), in.getLong()));
    }
    return new GiveUp(rows);
  }

  private static List<NodeId> nodes(ByteBuffer in) {
    need(in, 4);
    int count = in.getInt();
    if (count < 0 || count > in.remaining() / 16) {
      throw new WireException("A control message names " + count + " nodes");
    }
    List<NodeId> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId(in.getLong(), in.getLong()));
    }
    return nodes;
  }

  private static ByteBuffer start(byte kind, int bytes) {
    return ByteBuffer.allocate(2 + bytes).put(VERSION).put(kind);
  }

  private static byte[] written(ByteBuffer out) {
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static int headerBytes(@Nullable TableHeader header) {
    return 1 + (header == null ? 0 : header.encodedBytes());
  }

  private static void putHeader(ByteBuffer out, @Nullable TableHeader header) {
    putFlag(out, header != null);
    if (header != null) {
      header.encode(out);
    }
  }

  private static @Nullable TableHeader header(ByteBuffer in) {
    return flag(in) ? TableHeader.decode(in) : null;
  }

  private static void putFlag(ByteBuffer out, boolean flag) {
    out.put((byte) (flag ? 1 : 0));
  }

  private static boolean flag(ByteBuffer in) {
    need(in, 1);
    byte flag = in.get();
    if (flag != 0 && flag != 1) {
      throw new WireException("A flag of a control message is " + flag);
    }
    return flag == 1;
  }

  private static long int64(ByteBuffer in) {
    need(in, 8);
    return in.getLong();
  }

  private static void need(ByteBuffer in, int bytes) {
    if (in.remaining() < bytes) {
      throw new WireException(
          "A control message is cut off: " + in.remaining() + " bytes are left");
    }
  }
}
