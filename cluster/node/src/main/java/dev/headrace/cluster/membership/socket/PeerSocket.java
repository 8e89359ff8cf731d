package dev.headrace.cluster.membership.socket;

import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.security.SharedSecret;
import dev.headrace.cluster.security.TlsIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the membership port. It can be used once both sides know each other; connecting
 * includes that.
 */
final class PeerSocket extends Socket {
  /** How long the other side may take to answer when this node opens a connection. */
  private static final int ANSWER_MILLIS = 1500;

  /** How long the rest of a frame may make no progress. */
  private static final int STALL_MILLIS = 15_000;

  private final PortSecurity security;
  private final Set<Thread> inFrame;
  private final RareWarning unknown;
  private final Consumer<PeerSocket> closed;
  private volatile @Nullable SSLSocket encrypted;
  private volatile @Nullable InputStream input;

  /**
   * Not connected yet.
   *
   * @param inFrame the threads that read the rest of a frame
   * @param unknown warns of peers that this node does not know
   * @param closed told when the connection is closed
   */
  PeerSocket(
      PortSecurity security,
      Set<Thread> inFrame,
      RareWarning unknown,
      Consumer<PeerSocket> closed) {
    this.security = security;
    this.inFrame = inFrame;
    this.unknown = unknown;
    this.closed = closed;
  }

  @Override
  public void connect(SocketAddress endpoint, int timeoutMillis) throws IOException {
    super.connect(endpoint, timeoutMillis);
    if (endpoint.equals(getLocalSocketAddress())) { // the system had given it the port it looks for
      close();
      throw new ConnectException("nobody listens at " + endpoint + "; the socket found itself");
    }
    boolean known = false;
    try {
      setSoTimeout(ANSWER_MILLIS);
      SharedSecret secret = security.secret();
      TlsIdentity identity = security.tls();
      if (secret != null) {
        Proving.caller(secret, super.getInputStream(), super.getOutputStream());
      } else if (identity != null) {
        encrypt(identity, true);
      }
      settle(new byte[0]);
      known = true;
    } catch (IOException e) {
      unknown.warn(endpoint + " is not known to be a node of this cluster: " + e.getMessage());
      throw e;
    } finally {
      if (!known) {
        close();
      }
    }
  }

  /** Finds out who has connected. Another thread limits the time by closing the socket. */
  void admit() throws IOException {
    setSoTimeout((int) TimeUnit.SECONDS.toMillis(PeerServerSocket.ADMISSION_SECONDS));
    setTcpNoDelay(true);
    SharedSecret secret = security.secret();
    TlsIdentity identity = security.tls();
    if (secret != null) {
      Proving.callee(secret, super.getInputStream(), super.getOutputStream());
    } else if (identity != null) {
      encrypt(identity, false);
    }
    settle(JGroupsGreeting.read(getInputStream()));
  }

  private void encrypt(TlsIdentity identity, boolean opens) throws IOException {
    SSLSocket layer = identity.over(this, opens); // uses the plain streams of this socket
    layer.startHandshake();
    encrypted = layer;
  }

  /**
   * Limits reads inside a frame, except with TLS, which may lose its place in a record when a read
   * times out.
   */
  private void settle(byte[] head) throws IOException {
    setSoTimeout(encrypted == null ? STALL_MILLIS : 0);
    input = new PeerInput(head, getInputStream(), inFrame);
  }

  @Override
  public InputStream getInputStream() throws IOException {
    InputStream settled = input;
    SSLSocket layer = encrypted;
    if (settled != null) {
      return settled;
    }
    return layer == null ? super.getInputStream() : layer.getInputStream();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    SSLSocket layer = encrypted;
    return layer == null ? super.getOutputStream() : layer.getOutputStream();
  }

  @Override
  public synchronized void close() throws IOException {
    super.close();
    closed.accept(this);
  }
}
