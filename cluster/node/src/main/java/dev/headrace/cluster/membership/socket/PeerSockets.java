package dev.headrace.cluster.membership.socket;

import dev.headrace.cluster.security.PortSecurity;
import java.io.Closeable;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.util.DefaultSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a node's sockets for JGroups, and can close them all. Thread-safe. */
public final class PeerSockets extends DefaultSocketFactory {
  private static final Logger LOG = LoggerFactory.getLogger(PeerSockets.class);

  private final PortSecurity security;
  private final RareWarning unknown = new RareWarning(LOG);
  private final Set<Thread> inFrame = ConcurrentHashMap.newKeySet();
  private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  /** Without any socket yet. */
  public PeerSockets(PortSecurity security) {
    this.security = security;
  }

  /**
   * The calling thread reads the rest of a frame, or has read it; meanwhile a connection on which
   * nothing arrives fails after a while.
   */
  public void inFrame(boolean begins) {
    if (begins) {
      inFrame.add(Thread.currentThread());
    } else {
      inFrame.remove(Thread.currentThread());
    }
  }

  @Override
  public Socket createSocket(String service) {
    return socket();
  }

  @Override
  public ServerSocket createServerSocket(String service) throws IOException {
    return track(new PeerServerSocket(this));
  }

  /** A socket that is not connected yet. */
  PeerSocket socket() {
    return track(new PeerSocket(security, inFrame, unknown, open::remove));
  }

  /** Says whom this node does not know. */
  RareWarning unknown() {
    return unknown;
  }

  void closed(PeerServerSocket socket) {
    open.remove(socket);
  }

  /** Closes all sockets, and those that are still made. */
  public void cut() {
    cut = true;
    open.forEach(PeerSockets::closeNow);
  }

  private <T extends Closeable> T track(T socket) {
    open.add(socket);
    if (cut) {
      closeNow(socket);
    }
    return socket;
  }

  static void closeNow(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("A socket cannot be closed", e);
    }
  }
}
