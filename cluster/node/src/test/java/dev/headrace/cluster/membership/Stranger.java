package dev.headrace.cluster.membership;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jgroups.Version;
import org.jgroups.stack.IpAddress;

/** Somebody who speaks JGroups on a plain socket to a node's membership port. */
public final class Stranger implements AutoCloseable {
  private static final int CLAIMED_PORT = 9; // nobody listens there
  private final Socket socket;
  private final DataOutputStream out;

  /** Connects and says where it pretends to listen. */
  Stranger(int port) throws IOException {
    socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout((int) Node.LIMIT.toMillis());
    out = new DataOutputStream(socket.getOutputStream());
    IpAddress claimed = new IpAddress(InetAddress.getLoopbackAddress(), CLAIMED_PORT);
    out.write("bela".getBytes(StandardCharsets.US_ASCII));
    out.writeShort(Version.version);
    out.writeShort(claimed.serializedSize());
    claimed.writeTo(out);
  }

  /** Sends a length and what follows it, be it as long or not. */
  void send(int claimedBytes, byte[] frame) throws IOException {
    out.writeInt(claimedBytes);
    out.write(frame);
    out.flush();
  }

  /** Returns when the node has closed the connection. */
  void awaitEnd() throws IOException {
    byte[] ignored = new byte[1024];
    try {
      while (socket.getInputStream().read(ignored) >= 0) {
        // a greeting, perhaps
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("reset")) {
        throw e;
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  public interface Body {
    void to(DataOutputStream out) throws IOException;
  }

  /** One message without addresses and headers. */
  public static byte[] message(short kind, int flags, Body content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(Version.version);
    out.writeByte(0); // a single message
    out.writeShort(kind);
    out.writeByte(0); // no addresses
    out.writeShort(flags);
    out.writeShort(0); // no headers
    content.to(out);
    return bytes.toByteArray();
  }
}
