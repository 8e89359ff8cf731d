package dev.headrace.cluster.membership.socket;

import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on the membership port. {@link #accept} returns only connections whose peers are known
 * and have sent their greeting: JGroups reads it on its one accepting thread, which must not wait
 * for a stranger.
 */
final class PeerServerSocket extends ServerSocket {
  /** The most connections whose peers have not proved who they are. */
  static final int MAX_PENDING = 256;

  /** The most open connections. Further ones are closed. */
  static final int MAX_CONNECTIONS = 2048;

  /** How long a peer may take to prove who it is. */
  static final long ADMISSION_SECONDS = 5;

  private static final Logger LOG = LoggerFactory.getLogger(PeerServerSocket.class);
  private static final int BACKLOG = 1024;
  private static final long IDLE_SECONDS = 10;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final PeerSockets sockets;
  private final BlockingQueue<Socket> admitted = new LinkedBlockingQueue<>(MAX_CONNECTIONS);
  private final Socket end = new Socket(); // tells waiting threads that the socket is closed
  private final ThreadPoolExecutor admitting;
  private final ScheduledThreadPoolExecutor deadlines;

  /** In the order of their arrival; guarded by itself. */
  private final Set<PeerSocket> pending = new LinkedHashSet<>();

  /** Guarded by itself. Closed connections are removed when others come. */
  private final List<PeerSocket> accepted = new ArrayList<>();

  PeerServerSocket(PeerSockets sockets) throws IOException {
    this.sockets = sockets;
    ThreadFactory threads = daemons();
    admitting =
        new ThreadPoolExecutor(
            0, 2 * MAX_PENDING, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    deadlines = new ScheduledThreadPoolExecutor(1, threads);
    deadlines.setRemoveOnCancelPolicy(true);
  }

  private static ThreadFactory daemons() {
    return task -> {
      Thread thread = new Thread(task, "headrace-membership-port");
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void bind(SocketAddress endpoint, int backlog) throws IOException {
    super.bind(endpoint, Math.max(backlog, BACKLOG));
    daemons().newThread(this::listen).start();
  }

  /** Waits for the next connection of a known peer. */
  @Override
  public Socket accept() throws IOException {
    try {
      while (true) {
        Socket next = admitted.take();
        if (next == end) {
          admitted.add(end);
          throw new SocketException("Socket closed");
        }
        if (!next.isClosed()) {
          return next;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SocketException("Interrupted while waiting for a connection");
    }
  }

  private void listen() {
    while (!isClosed()) {
      PeerSocket next = sockets.socket();
      try {
        implAccept(next);
        begin(next);
      } catch (IOException e) {
        PeerSockets.closeNow(next);
        if (!isClosed()) {
          LOG.debug("A connection could not be accepted", e);
          LockSupport.parkNanos(RETRY_NANOS); // perhaps there are too many open files
        }
      }
    }
  }

  private void begin(PeerSocket next) {
    synchronized (accepted) {
      accepted.removeIf(Socket::isClosed);
      if (accepted.size() >= MAX_CONNECTIONS) {
        PeerSockets.closeNow(next);
        return;
      }
      accepted.add(next);
    }
    PeerSocket oldest = null;
    synchronized (pending) {
      pending.add(next);
      if (pending.size() > MAX_PENDING) {
        Iterator<PeerSocket> first = pending.iterator();
        oldest = first.next();
        first.remove();
      }
    }
    if (oldest != null) {
      PeerSockets.closeNow(oldest);
    }
    try {
      admitting.execute(() -> admit(next));
    } catch (RejectedExecutionException e) {
      LOG.debug("No thread is free for {}", next, e);
      PeerSockets.closeNow(next);
    }
  }

  private void admit(PeerSocket next) {
    Future<?> deadline = null;
    boolean known = false;
    try {
      deadline =
          deadlines.schedule(() -> PeerSockets.closeNow(next), ADMISSION_SECONDS, TimeUnit.SECONDS);
      next.admit();
      known = admitted.offer(next);
    } catch (IOException | RuntimeException e) {
      refused(next, e);
    } finally {
      if (deadline != null) {
        deadline.cancel(false);
      }
      synchronized (pending) {
        pending.remove(next);
      }
      if (!known) {
        PeerSockets.closeNow(next);
      }
    }
  }

  private void refused(PeerSocket next, Exception cause) {
    if (isClosed()
        || next.isClosed()
        || cause instanceof EOFException
        || cause.getCause() instanceof EOFException) {
      LOG.debug("{} only checked whether somebody listens, or took too long", next, cause);
      return;
    }
    sockets
        .unknown()
        .warn(
            "Refused the connection of %s to the membership port: %s"
                .formatted(next.getRemoteSocketAddress(), cause.getMessage()));
  }

  @Override
  public void close() throws IOException {
    super.close();
    sockets.closed(this);
    admitting.shutdown();
    deadlines.shutdownNow();
    List<PeerSocket> left;
    synchronized (pending) {
      left = List.copyOf(pending);
    }
    left.forEach(PeerSockets::closeNow);
    for (Socket next = admitted.poll(); next != null; next = admitted.poll()) {
      PeerSockets.closeNow(next);
    }
    admitted.add(end);
  }
}
