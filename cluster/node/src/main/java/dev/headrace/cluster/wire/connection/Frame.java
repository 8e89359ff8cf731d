package dev.headrace.cluster.wire.connection;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.BodyCodec;
import dev.headrace.rebalance.table.ProtocolVersions;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * The header of everything on the wire; big-endian.
 *
 * <pre>
 *  0  int   length of the body in bytes
 *  4  byte  version of the protocol
 *  5  byte  type
 *  6  short zero
 *  8  long  correlation: of reads the request's number, of messages their place on the connection
 * 16  int   CRC32C of the body
 * 20  int   CRC32C of the header's first 20 bytes
 * 24  body
 * </pre>
 *
 * <p>The header has a checksum of its own, so that a damaged length is noticed before memory is
 * allocated for it, or a reader waits for bytes that never come. Mutable and reused: it holds the
 * fields of the last header that was read. Not thread-safe.
 */
public final class Frame {
  /** Length of the header. */
  public static final int HEADER_BYTES = 24;

  /** {@link Handshake}. */
  public static final byte HELLO = 1;

  /** The handshake is accepted. The body is empty, or the callee's proof. */
  public static final byte WELCOME = 2;

  /** The handshake is refused. The body tells the reason. */
  public static final byte REFUSAL = 3;

  /** A message of the write protocol. */
  public static final byte MESSAGE = 4;

  /** A read request. */
  public static final byte READ = 5;

  /** A batch. */
  public static final byte ANSWER = 6;

  /** No batch will come. The body tells the reason. */
  public static final byte READ_FAILED = 7;

  /** The callee's nonce; see {@link Proofs}. */
  public static final byte CHALLENGE = 8;

  /** The caller's proof; see {@link Proofs}. */
  public static final byte PROOF = 9;

  private static final int VERSION_AT = 4;
  private static final int TYPE_AT = 5;
  private static final int CORRELATION_AT = 8;
  private static final int BODY_CHECKSUM_AT = 16;
  private static final int HEADER_CHECKSUM_AT = 20;

  private final CRC32C checksum = new CRC32C();
  private int bodyBytes;
  private byte type;
  private long correlation;
  private int bodyChecksum;

  /** That of the last header that was read, or in which headers are written. */
  private int protocol;

  /** Writes in the newest version that this node knows. */
  public Frame() {
    this(ProtocolVersions.OWN.newest());
  }

  /** Writes in a version of the protocol. */
  public Frame(int protocol) {
    this.protocol = protocol;
  }

  /** Writes in this version of the protocol from now on. */
  void speak(int version) {
    protocol = version;
  }

  int protocol() {
    return protocol;
  }

  int bodyBytes() {
    return bodyBytes;
  }

  byte type() {
    return type;
  }

  long correlation() {
    return correlation;
  }

  /**
   * Reads and checks a header. Does not change the buffer's indexes.
   *
   * @throws WireException if the version is unknown or the header is damaged
   */
  void read(ByteBuf in, int start) {
    byte version = in.getByte(start + VERSION_AT);
    if (!ProtocolVersions.OWN.contains(version)) {
      throw new WireException(
          ("version %d of the protocol is unknown, this node knows %s; run releases of Headrace"
                  + " that follow each other, and let nothing else connect to the data port")
              .formatted(version & 0xff, ProtocolVersions.OWN));
    }
    protocol = version;
    int expected = in.getInt(start + HEADER_CHECKSUM_AT);
    int actual = checksumOf(in, start, HEADER_CHECKSUM_AT);
    if (expected != actual) {
      throw new WireException(
          "the header's checksum is %08x, but it says %08x; the frame was damaged on its way"
              .formatted(actual, expected));
    }
    bodyBytes = in.getInt(start);
    type = in.getByte(start + TYPE_AT);
    correlation = in.getLong(start + CORRELATION_AT);
    bodyChecksum = in.getInt(start + BODY_CHECKSUM_AT);
  }

  /** Starts the body's checksum. */
  void startBody() {
    checksum.reset();
  }

  /** Adds bytes to the body's checksum, best while they are still in the processor's cache. */
  void addBody(ByteBuf in, int index, int bytes) {
    checksum.update(in.internalNioBuffer(index, bytes));
  }

  /**
   * Compares the body's checksum with the header's.
   *
   * @throws WireException if they differ
   */
  void checkBody() {
    int actual = (int) checksum.getValue();
    if (actual != bodyChecksum) {
      throw new WireException(
          ("the checksum of a body of %d bytes is %08x, but the header says %08x; "
                  + "the frame was damaged on its way")
              .formatted(bodyBytes, actual, bodyChecksum));
    }
  }

  /** The checksum of a range of bytes. */
  public int checksumOf(ByteBuf in, int index, int bytes) {
    checksum.reset();
    if (bytes > 0) {
      checksum.update(in.internalNioBuffer(index, bytes));
    }
    return (int) checksum.getValue();
  }

  /** Encodes a body behind the room for its header. If that fails, the buffer is as before. */
  static <T> void encodeBody(BodyCodec<T> codec, T body, ByteBuf out, int start) {
    boolean complete = false;
    try {
      out.writerIndex(start + HEADER_BYTES);
      codec.encode(body, out);
      complete = true;
    } finally {
      if (!complete) {
        out.writerIndex(start);
      }
    }
  }

  /** Writes the header at {@code start} of a body that follows it and ends at the writer index. */
  public void write(ByteBuf out, int start, byte frameType, long frameCorrelation) {
    int body = start + HEADER_BYTES;
    int bytes = out.writerIndex() - body;
    writeHeader(out, start, frameType, frameCorrelation, bytes, checksumOf(out, body, bytes));
  }

  /** Writes the header at {@code start} of a body whose checksum is known. */
  public void writeHeader(
      ByteBuf out, int start, byte frameType, long frameCorrelation, int bytes, int checksum) {
    out.setInt(start, bytes);
    out.setByte(start + VERSION_AT, protocol);
    out.setByte(start + TYPE_AT, frameType);
    out.setShort(start + TYPE_AT + 1, 0);
    out.setLong(start + CORRELATION_AT, frameCorrelation);
    out.setInt(start + BODY_CHECKSUM_AT, checksum);
    out.setInt(start + HEADER_CHECKSUM_AT, checksumOf(out, start, HEADER_CHECKSUM_AT));
  }
}
