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

/** Makes a node's sockets for JGroups, and closes them all. Thread-safe. */
public final class PeerSockets extends DefaultSocketFactory {
  private static final Logger LOG = LoggerFactory.getLogger(PeerSockets.class);

  private final PortSecurity security;
  private final RareWarning unknown = new RareWarning(LOG);
  private final Set<Thread> inFrame = ConcurrentHashMap.newKeySet();
  private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  /** Has no socket yet. */
  public PeerSockets(PortSecurity security) {
    this.security = security;
  }

  /**
   * Notes that the calling thread begins or ends to read the rest of a frame. In between, a
   * connection on which nothing arrives fails after a while.
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

  /** Makes a socket that is not connected yet. */
  PeerSocket socket() {
    return track(new PeerSocket(security, inFrame, unknown, open::remove));
  }

  /** The warning about peers that this node does not know. */
  RareWarning unknown() {
    return unknown;
  }

  void closed(PeerServerSocket socket) {
    open.remove(socket);
  }

  /** Closes all sockets, including those that are made later. */
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
