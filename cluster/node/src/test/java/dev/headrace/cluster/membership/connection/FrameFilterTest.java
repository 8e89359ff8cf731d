package dev.headrace.cluster.membership.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.headrace.cluster.membership.MarkerObject;
import dev.headrace.cluster.membership.Stranger;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Version;
import org.jgroups.protocols.AuthHeader;
import org.jgroups.protocols.FragHeader;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.UUID;
import org.jgroups.util.Util;
import org.junit.jupiter.api.Test;

/** What passes from the membership port to JGroups. */
final class FrameFilterTest {
  private static final short PROTOCOL = 99;
  private static final int GIGABYTE = 1 << 30;
  private static final Address HERE = new UUID(1, 2);

  @Test
  void whatProtocolsSendPasses() throws Exception {
    Message plain = new BytesMessage(HERE, new byte[100]).setSrc(new UUID(3, 4));
    Message missing = new ObjectMessage(HERE, new SeqnoList(200, 7).add(9, 150));
    Message heartbeat = new EmptyMessage(null).setSrc(HERE);
    Message physical = new EmptyMessage(new IpAddress(InetAddress.getLoopbackAddress(), 7800));
    Message fragment =
        new BytesMessage(HERE, new byte[10]).putHeader(PROTOCOL, new FragHeader(1, 2, 3));
    plain.putHeader(PROTOCOL, UnicastHeader3.createDataHeader(5, (short) 1, true));
    for (Message message : List.of(plain, missing, heartbeat, physical, fragment)) {
      assertThatCode(() -> FrameFilter.checkFrame(single(message))).doesNotThrowAnyException();
    }
    byte[] list = list(List.of(plain, missing, fragment));
    assertThatCode(() -> FrameFilter.checkFrame(list)).doesNotThrowAnyException();
  }

  @Test
  void otherKindsOfMessagesAreRefused() throws IOException {
    for (short kind :
        List.of(
            Message.NIO_MSG,
            Message.LONG_MSG,
            Message.COMPOSITE_MSG,
            Message.FRAG_MSG,
            Message.EARLYBATCH_MSG,
            (short) -1,
            Short.MAX_VALUE)) {
      byte[] frame = Stranger.message(kind, 0, out -> out.write(new byte[20]));
      refused("kind " + kind, () -> FrameFilter.checkFrame(frame));
    }
  }

  @Test
  void objectsAreRefusedWithoutALookAtTheirClasses() throws Exception {
    byte[] named =
        Stranger.message(
            Message.OBJ_MSG,
            0,
            out -> {
              out.writeByte(1);
              out.writeShort(-1);
              out.writeUTF(MarkerObject.class.getName());
            });
    refused("object", () -> FrameFilter.checkFrame(named));
    byte[] serialized = Stranger.message(Message.BYTES_MSG, 1 << 11, out -> out.writeInt(0));
    refused("serialization", () -> FrameFilter.checkFrame(serialized));
    assertThat(System.getProperty(MarkerObject.TRACE)).isNull();
  }

  @Test
  void headersOfProtocolsThatAreNotInUseAreRefused() throws Exception {
    Message message = new EmptyMessage(HERE).putHeader(PROTOCOL, new AuthHeader());
    refused("header", () -> FrameFilter.checkFrame(single(message)));
  }

  @Test
  void fragmentsOfAnythingButBytesAreRefused() throws Exception {
    Message message =
        new BytesMessage(HERE, new byte[3])
            .putHeader(PROTOCOL, new FragHeader(1, 0, 2).setOriginalType(Message.OBJ_MSG));
    refused("Fragments", () -> FrameFilter.checkFrame(single(message)));
    Message many =
        new BytesMessage(HERE, new byte[3]).putHeader(PROTOCOL, new FragHeader(1, 0, GIGABYTE));
    refused("fragment 0 of", () -> FrameFilter.checkFrame(single(many)));
  }

  @Test
  void noRoomIsMadeForWhatHasNotArrived() throws Exception {
    byte[] bytes = Stranger.message(Message.BYTES_MSG, 0, out -> out.writeInt(GIGABYTE));
    byte[] list =
        Stranger.message(
            Message.OBJ_MSG,
            0,
            out -> {
              out.writeByte(1);
              out.writeShort(15);
              out.writeInt(Integer.MAX_VALUE);
              out.writeLong(1);
            });
    ByteArrayDataOutputStream waiters = new ByteArrayDataOutputStream();
    Util.writeMessageListHeader(HERE, HERE, new byte[] {'c'}, GIGABYTE, waiters, false);
    allocatesLittle(() -> refused("claims", () -> FrameFilter.checkFrame(bytes)));
    allocatesLittle(() -> refused("claims", () -> FrameFilter.checkFrame(list)));
    allocatesLittle(() -> refused("claims", () -> FrameFilter.checkFrame(arrived(waiters))));
    DataInputStream few = new DataInputStream(new ByteArrayInputStream(new byte[10]));
    allocatesLittle(
        () ->
            assertThatThrownBy(() -> IncomingFrame.read(few, GIGABYTE))
                .isInstanceOf(EOFException.class));
  }

  @Test
  void aFrameIsReadWhole() throws IOException {
    byte[] sent = new byte[100_000];
    sent[99_999] = 7;
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(sent));
    assertThat(IncomingFrame.read(in, sent.length)).isEqualTo(sent);
  }

  @Test
  void everyCutOfAFrameIsRefused() throws Exception {
    byte[] frame = list(List.of(new BytesMessage(HERE, new byte[30]), new EmptyMessage(HERE)));
    for (int length = 0; length < frame.length; length++) {
      byte[] cut = Arrays.copyOf(frame, length);
      assertThatThrownBy(() -> FrameFilter.checkFrame(cut)).isInstanceOf(IOException.class);
    }
    refused("follow", () -> FrameFilter.checkFrame(Arrays.copyOf(frame, 200)));
  }

  @Test
  void datagramsCarryTheSearchForNodesAlone() throws Exception {
    Message search =
        new BytesMessage(null)
            .setSrc(HERE)
            .putHeader(PROTOCOL, new PingHeader(PingHeader.GET_MBRS_REQ).clusterName("c"));
    Message data =
        new BytesMessage(null)
            .putHeader(PROTOCOL, UnicastHeader3.createDataHeader(5, (short) 1, true));
    assertThatCode(() -> checkDatagram(search)).doesNotThrowAnyException();
    refused("header", () -> checkDatagram(data));
  }

  private static void checkDatagram(Message message) throws IOException {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    message.writeTo(out);
    FrameFilter.checkDatagram(out.buffer(), 0, out.position());
  }

  private static void refused(String reason, ThrowingCallable check) {
    assertThatThrownBy(check).isInstanceOf(IOException.class).hasMessageContaining(reason);
  }

  private static void allocatesLittle(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(16 << 20);
  }

  private static byte[] single(Message message) throws IOException {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    Util.writeMessage(message, out, false);
    return arrived(out);
  }

  private static byte[] list(List<Message> messages) throws IOException {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    Util.writeMessageList(HERE, new UUID(3, 4), new byte[] {'c'}, messages, out, false);
    assertThat(out.buffer()[1]).isEqualTo((byte) Version.version);
    return arrived(out);
  }

  private static byte[] arrived(ByteArrayDataOutputStream out) {
    return Arrays.copyOf(out.buffer(), out.position());
  }
}
