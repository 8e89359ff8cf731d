package dev.headrace.cluster.security;

import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's certificate, its key and the authorities that it trusts, from their files. The files are
 * checked when connections are made, every few seconds at most, and read again when they have
 * changed. If changed files cannot be used, the previous ones stay in use, and a warning says so.
 *
 * <p>Every holder of a certificate of a trusted authority is a node. Names in certificates are not
 * compared, since nodes know each other by addresses. Thread-safe.
 */
public final class TlsIdentity {
  private static final Logger LOG = LoggerFactory.getLogger(TlsIdentity.class);
  private static final String PROTOCOL = "TLSv1.3";

  /** The fastest first: a key of 128 bits is enough for any connection. */
  private static final String[] SUITES = {
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
  };

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Security.Tls files;

  // All guarded by this.
  private SSLContext context;
  private List<FileTime> changes;
  private long lookedNanos;

  /**
   * Reads the files.
   *
   * @throws HeadraceException if one cannot be read or used
   */
  TlsIdentity(Security.Tls files) {
    this.files = files;
    try {
      changes = changes();
      context = PemFiles.context(files);
      lookedNanos = System.nanoTime();
    } catch (IOException e) {
      throw new HeadraceException("TLS cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * Makes the engine of a connection.
   *
   * @param opens whether this node opens the connection
   */
  public SSLEngine engine(boolean opens) {
    SSLEngine engine = context().createSSLEngine();
    engine.setUseClientMode(opens);
    engine.setSSLParameters(parameters(engine.getSSLParameters()));
    return engine;
  }

  /**
   * Makes the engine of a connection that a program has opened which is no node.
   *
   * @param certificateNeeded whether the program must show a certificate; otherwise it may
   */
  public SSLEngine engineForPrograms(boolean certificateNeeded) {
    SSLEngine engine = engine(false);
    SSLParameters parameters = engine.getSSLParameters();
    if (certificateNeeded) {
      parameters.setNeedClientAuth(true);
    } else {
      parameters.setWantClientAuth(true);
    }
    engine.setSSLParameters(parameters);
    return engine;
  }

  /**
   * Puts TLS over a connected socket. Does not begin the handshake.
   *
   * @param opens whether this node has opened the connection
   * @throws IOException if the socket is closed
   */
  public SSLSocket over(Socket connected, boolean opens) throws IOException {
    String host = connected.getInetAddress().getHostAddress();
    SSLSocket socket =
        (SSLSocket)
            context().getSocketFactory().createSocket(connected, host, connected.getPort(), true);
    socket.setUseClientMode(opens);
    socket.setSSLParameters(parameters(socket.getSSLParameters()));
    return socket;
  }

  private static SSLParameters parameters(SSLParameters defaults) {
    defaults.setProtocols(new String[] {PROTOCOL});
    defaults.setCipherSuites(SUITES.clone());
    defaults.setNeedClientAuth(true);
    return defaults;
  }

  private synchronized SSLContext context() {
    long now = System.nanoTime();
    if (now - lookedNanos < LOOK_NANOS) {
      return context;
    }
    lookedNanos = now;
    try {
      List<FileTime> present = changes();
      if (!present.equals(changes)) {
        changes = present;
        context = PemFiles.context(files);
        LOG.info("Reloaded the certificates of {}", files.certificate());
      }
    } catch (IOException e) {
      LOG.warn(
          "The changed TLS files cannot be used; the previous ones stay in use: {}",
          e.getMessage(),
          e);
    }
    return context;
  }

  private List<FileTime> changes() throws IOException {
    return List.of(changed(files.certificate()), changed(files.key()), changed(files.anchors()));
  }

  private static FileTime changed(Path file) throws IOException {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new IOException("the file " + file + " cannot be read", e);
    }
  }
}
