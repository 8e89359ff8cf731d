package dev.headrace.cluster.membership.connection;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FailureDetection;
import org.jgroups.protocols.FragHeader;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NakAckHeader2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.util.Bits;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.Util;

/**
 * Checks what arrives on the membership port before JGroups parses it. It accepts only the messages
 * that the protocols of {@code ChannelStack} send.
 *
 * <p>JGroups' own parser creates any object that a peer names: a message with an object names its
 * class, or carries a Java serialization. It also allocates whatever length it reads. This filter
 * passes only listed kinds of messages, headers, addresses and objects, all of them JGroups'
 * classes with bounded fields, and no length that exceeds the bytes that have arrived. So the
 * process needs no deserialization filter, which JGroups could only set for the whole JVM.
 *
 * <p>Not thread-safe; used for one frame.
 */
public final class FrameFilter {
  /** The most fragments of one message; {@code Membership.MAX_MESSAGE_BYTES} needs fewer. */
  static final int MAX_FRAGMENTS = 4096;

  private static final int MIN_MESSAGE_BYTES = 7; // kind, presence, flags, number of headers
  private static final Set<Short> HEADERS =
      Set.of(
          magic(TpHeader.class),
          magic(PingHeader.class),
          magic(MERGE3.MergeHeader.class),
          magic(FailureDetection.HeartbeatHeader.class),
          magic(VERIFY_SUSPECT2.VerifyHeader.class),
          magic(NakAckHeader2.class),
          magic(UnicastHeader3.class),
          magic(STABLE.StableHeader.class),
          magic(GMS.GmsHeader.class),
          magic(FragHeader.class));
  private static final short FRAGMENT = magic(FragHeader.class);
  private static final short PING = magic(PingHeader.class);
  private static final short SEQUENCE = magic(SeqnoList.class);
  private static final Set<Short> DIGESTS = Set.of(magic(Digest.class), magic(MutableDigest.class));

  private final ByteArrayInputStream left;
  private final DataInputStream in;

  private FrameFilter(byte[] bytes, int offset, int length) {
    left = new ByteArrayInputStream(bytes, offset, length);
    in = new DataInputStream(left);
  }

  /**
   * Checks a frame of a connection.
   *
   * @throws IOException if no node of this release sends such a frame; the message says why
   */
  public static void checkFrame(byte[] frame) throws IOException {
    FrameFilter filter = new FrameFilter(frame, 0, frame.length);
    filter.guarded(filter::frame);
  }

  /**
   * Checks a datagram: one message, a request or an answer of the search for nodes.
   *
   * @throws IOException if no node of this release sends such a datagram; the message says why
   */
  public static void checkDatagram(byte[] bytes, int offset, int length) throws IOException {
    FrameFilter filter = new FrameFilter(bytes, offset, length);
    filter.guarded(() -> filter.message(Message.BYTES_MSG, Set.of(PING)));
  }

  private interface Walk {
    void run() throws IOException, ClassNotFoundException;
  }

  private void guarded(Walk walk) throws IOException {
    try {
      walk.run();
    } catch (RuntimeException | ClassNotFoundException e) { // thrown while JGroups' fields are read
      throw new IOException("A control message is damaged: " + e, e);
    }
    if (left.available() != 0) {
      throw new IOException(left.available() + " bytes follow the last control message");
    }
  }

  private void frame() throws IOException, ClassNotFoundException {
    in.readShort(); // the version, which JGroups compares
    byte flags = in.readByte();
    if ((flags & TP.LIST) == 0) {
      message(in.readShort(), HEADERS);
      return;
    }
    address();
    address();
    skip(Math.max(0, in.readShort())); // the cluster's name
    int count = in.readInt();
    if (count < 0 || count > left.available() / MIN_MESSAGE_BYTES) {
      throw new IOException("A list claims " + count + " control messages, which is too many");
    }
    for (int i = 0; i < count; i++) {
      message(in.readShort(), HEADERS);
    }
  }

  private void message(short kind, Set<Short> headers) throws IOException, ClassNotFoundException {
    byte presence = in.readByte();
    if ((in.readShort() & Message.Flag.SERIALIZED.value()) != 0) {
      throw new IOException("A control message has a Java serialization in it");
    }
    if ((presence & 1) != 0) { // the receiver
      address();
    }
    if ((presence & 2) != 0) { // the sender
      address();
    }
    int count = in.readShort();
    for (int i = 0; i < count; i++) {
      in.readShort(); // the protocol's number
      header(headers);
    }
    if (count < 0) {
      throw new IOException("A control message claims " + count + " headers");
    }
    content(kind);
  }

  private void header(Set<Short> allowed) throws IOException, ClassNotFoundException {
    short magic = in.readShort();
    if (!allowed.contains(magic)) {
      throw new IOException("A control message has a header of kind " + magic + ", not in use");
    }
    if (magic == FRAGMENT) {
      fragment();
    } else {
      Header known = ClassConfigurator.create(magic);
      known.readFrom(in);
    }
  }

  /** A message made of fragments must be of the one kind that names no class. */
  private void fragment() throws IOException {
    Bits.readLongCompressed(in); // which message
    int index = Bits.readIntCompressed(in);
    int count = Bits.readIntCompressed(in);
    boolean serialized = in.readBoolean();
    short kind = in.readShort();
    if (count < 1 || count > MAX_FRAGMENTS || index < 0 || index >= count) {
      throw new IOException("A control message claims to be fragment " + index + " of " + count);
    }
    if (serialized || kind != Message.BYTES_MSG) {
      throw new IOException("Fragments of a control message of kind " + kind + " are not in use");
    }
  }

  private void content(short kind) throws IOException, ClassNotFoundException {
    switch (kind) {
      case Message.EMPTY_MSG -> {}
      case Message.BYTES_MSG -> skip(Math.max(0, in.readInt()));
      case Message.OBJ_MSG -> object();
      default -> throw new IOException("A control message of kind " + kind + " is not in use");
    }
  }

  /** Checks an object that protocols send each other: which messages are missing, or were seen. */
  private void object() throws IOException, ClassNotFoundException {
    if (in.readByte() == 0) {
      return;
    }
    short magic = in.readShort();
    if (magic == SEQUENCE) {
      int bits = in.readInt();
      in.readLong();
      int words = bits == 0 ? 0 : (bits - 1) / Long.SIZE + 1;
      if (bits < 0) {
        throw new IOException("A list claims " + bits + " missing control messages");
      }
      skip((long) words * Long.BYTES);
    } else if (DIGESTS.contains(magic)) {
      new Digest().readFrom(in);
    } else {
      throw new IOException("A control message has an object of kind " + magic + ", not in use");
    }
  }

  private void address() throws IOException, ClassNotFoundException {
    left.mark(1);
    byte kind = in.readByte();
    if (kind != Address.NULL && kind != Address.UUID_ADDR && kind != Address.IP_ADDR) {
      throw new IOException("An address of kind " + kind + " is not in use");
    }
    left.reset();
    Util.readAddress(in);
  }

  private void skip(long bytes) throws IOException {
    if (bytes > left.available()) {
      throw new IOException(
          "A control message claims " + bytes + " bytes, but " + left.available() + " are left");
    }
    in.skipNBytes(bytes);
  }

  private static short magic(Class<?> type) {
    return ClassConfigurator.getMagicNumber(type);
  }
}
