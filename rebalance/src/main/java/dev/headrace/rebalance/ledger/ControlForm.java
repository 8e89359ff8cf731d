package dev.headrace.rebalance.ledger;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.ledger.ControlMessage.Hello;
import dev.headrace.rebalance.ledger.ControlMessage.Install;
import dev.headrace.rebalance.ledger.ControlMessage.Leave;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.Seal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.rebalance.table.Text;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The binary form of control messages: a version, a kind, then the fields in their order. */
final class ControlForm {

  private static final byte VERSION = 1;
  private static final byte HELLO = 1;
  private static final byte INSTALL = 2;
  private static final byte REFUSE = 3;
  private static final byte SEAL = 4;
  private static final byte LEAVE = 5;

  private ControlForm() {}

  static byte[] encode(ControlMessage message) {
    if (message instanceof Hello hello) {
      return encode(hello);
    }
    if (message instanceof Install install) {
      ByteBuffer out = start(INSTALL, 8 + install.table().encodedBytes());
      out.putLong(install.viewMark());
      install.table().encode(out);
      return written(out);
    }
    if (message instanceof Refuse refuse) {
      ByteBuffer out = start(REFUSE, 8 + Text.encodedBytes(refuse.reason()));
      out.putLong(refuse.viewMark());
      Text.encode(refuse.reason(), out);
      return written(out);
    }
    return written(start(message instanceof Seal ? SEAL : LEAVE, 0));
  }

  static ControlMessage decode(ByteBuffer in) {
    need(in, 2);
    byte version = in.get();
    byte kind = in.get();
    if (version != VERSION) {
      throw new WireException(
          "A control message has the unknown version " + version + ": upgrade this node");
    }
    ControlMessage message =
        switch (kind) {
          case HELLO -> hello(in);
          case INSTALL -> new Install(int64(in), SegmentTable.decode(in));
          case REFUSE -> new Refuse(int64(in), Text.decode(in));
          case SEAL -> new Seal();
          case LEAVE -> new Leave();
          default -> throw new WireException("There is no control message of kind " + kind);
        };
    if (in.hasRemaining()) {
      throw new WireException(in.remaining() + " bytes follow a control message of kind " + kind);
    }
    return message;
  }

  private static byte[] encode(Hello hello) {
    Terms terms = hello.terms();
    int bytes = 8 + 8 + hello.member().encodedBytes() + Text.encodedBytes(terms.clusterName());
    bytes += 4 + 4 + 1 + 8 + encodedBytes(hello.heldAtEntry()) + encodedBytes(hello.held()) + 1;
    ByteBuffer out = start(HELLO, bytes);
    out.putLong(hello.sequence()).putLong(hello.viewMark());
    hello.member().encode(out);
    Text.encode(terms.clusterName(), out);
    out.putInt(terms.segments()).putInt(terms.owners());
    putFlag(out, terms.hashSeed().isPresent());
    out.putLong(terms.hashSeed().orElse(0));
    putHeader(out, hello.heldAtEntry());
    putHeader(out, hello.held());
    putFlag(out, hello.wantsAnswer());
    return written(out);
  }

  private static Hello hello(ByteBuffer in) {
    long sequence = int64(in);
    long viewMark = int64(in);
    Member member = Member.decode(in);
    Terms terms = terms(in);
    return new Hello(sequence, viewMark, member, terms, header(in), header(in), flag(in));
  }

  private static Terms terms(ByteBuffer in) {
    String name = Text.decode(in);
    need(in, 8);
    int segments = in.getInt();
    int owners = in.getInt();
    boolean given = flag(in);
    long seed = int64(in);
    return new Terms(name, segments, owners, given ? OptionalLong.of(seed) : OptionalLong.empty());
  }

  private static ByteBuffer start(byte kind, int bytes) {
    return ByteBuffer.allocate(2 + bytes).put(VERSION).put(kind);
  }

  private static byte[] written(ByteBuffer out) {
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static int encodedBytes(@Nullable TableHeader header) {
    return header == null ? 1 : 1 + TableHeader.ENCODED_BYTES;
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
