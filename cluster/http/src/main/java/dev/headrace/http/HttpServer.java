package dev.headrace.http;

import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.security.TlsIdentity;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.export.StreamFigures;
import dev.headrace.http.server.AccessRules;
import dev.headrace.http.server.HttpPort;
import dev.headrace.http.server.PortLimits;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port that speaks HTTP beside a node of this process. Close it before the node. Thread-safe.
 *
 * <p>It is behind the node's {@link NodeSettings#security}: with a secret, callers send a token
 * that is derived from it; with TLS, they show a certificate of the cluster, or send a token if one
 * is set; with none, whoever reaches the port can read and write everything.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final long MIN_ALL_BYTES = 64L << 20;
  private static final int MAX_LOOPS = 16;

  private final HttpSettings settings;
  private final HttpRoutes routes;
  private final HttpPort port;
  private final boolean encrypted;

  private HttpServer(HttpSettings settings, HttpRoutes routes, HttpPort port, boolean encrypted) {
    this.settings = settings;
    this.routes = routes;
    this.port = port;
    this.encrypted = encrypted;
  }

  /**
   * Opens a port with default settings, on any free port of 127.0.0.1.
   *
   * @param node a node of this process
   * @return the server, to be closed
   * @throws HeadraceException as below
   */
  public static HttpServer start(Headrace node) {
    return start(node, HttpSettings.defaults());
  }

  /**
   * Opens a port.
   *
   * @param node a node of this process
   * @return the server, to be closed
   * @throws IllegalArgumentException if the node is none that {@link Headrace#start} has made
   * @throws HeadraceException if the port is taken, the address is not this machine's, or the port
   *     would be open to everybody and the node's settings require security
   */
  public static HttpServer start(Headrace node, HttpSettings settings) {
    if (!(node instanceof HeadraceNode present)) {
      throw new IllegalArgumentException(
          "HTTP needs a node that Headrace.start has made, but this is a "
              + node.getClass().getName());
    }
    NodeSettings ofNode = node.settings();
    TlsIdentity tls = PortSecurity.of(ofNode.security(), ofNode.clusterName()).tls();
    String token = settings.token();
    if (token == null && ofNode.security() instanceof Security.Secret secret) {
      token = tokenOf(secret);
    }
    boolean loopback = isLoopback(settings.bindAddress());
    checkOpen(ofNode, settings, loopback || token != null || tls != null);
    boolean certificates = tls != null;
    AccessRules rules =
        new AccessRules(
            token, certificates, loopback, settings.allowedHosts(), settings.allowedOrigins());
    HttpRoutes routes = HttpRoutes.of(present, settings);
    try {
      HttpPort port =
          new HttpPort(
              settings.bindAddress(),
              settings.port(),
              Math.max(1, Math.min(MAX_LOOPS, Runtime.getRuntime().availableProcessors() / 2)),
              "headrace-" + ofNode.nodeName() + "-http",
              new HttpPort.Parts(
                  routes.router(),
                  rules,
                  limits(ofNode, settings),
                  routes.listener(),
                  tls,
                  certificates && token == null));
      return new HttpServer(settings, routes, port, tls != null);
    } catch (RuntimeException | Error e) {
      routes.close();
      throw e;
    }
  }

  private static PortLimits limits(NodeSettings ofNode, HttpSettings settings) {
    // JSON may take some times the bytes of what it stands for; more than that is no entry.
    long body = 2L * ofNode.maxEntryBytes() + 1024;
    long all = Math.max(MIN_ALL_BYTES, Runtime.getRuntime().maxMemory() / 8);
    return new PortLimits(
        settings.maxConnections(),
        (int) Math.min(body, Integer.MAX_VALUE - 64),
        Math.max(all, body),
        all,
        settings.requestTimeout(),
        PortLimits.BODY_TIMEOUT,
        settings.idleTimeout(),
        settings.stallTimeout(),
        settings.heartbeat());
  }

  private static void checkOpen(NodeSettings ofNode, HttpSettings settings, boolean closed) {
    if (closed) {
      return;
    }
    String open =
        "Node %s would answer HTTP on %s for everybody: whoever reaches the port can read, change and delete everything in cluster %s"
            .formatted(ofNode.nodeName(), settings.bindAddress(), ofNode.clusterName());
    if (ofNode.requireSecurity()) {
      throw new HeadraceException(open + "; set a token, or give the node a secret or TLS");
    }
    LOG.warn(open);
  }

  /**
   * The token that a node with a shared secret wants: the HMAC-SHA-256 of the text {@code
   * headrace-http} under the secret, in hexadecimal digits. Who has the token cannot become a node.
   */
  public static String tokenOf(Security.Secret secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.bytes(), "HmacSHA256"));
      return HexFormat.of()
          .formatHex(mac.doFinal("headrace-http".getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has HmacSHA256", e);
    }
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new HeadraceException(
          "HTTP cannot listen on \"" + address + "\", which is no address", e);
    }
  }

  /** The port on which it listens. */
  public int port() {
    return port.port();
  }

  /** Where it is reached, such as {@code http://127.0.0.1:8080}. */
  public String url() {
    String host = settings.bindAddress();
    return (encrypted ? "https://" : "http://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port();
  }

  /** The connections that are open now. */
  int connections() {
    return port.connections();
  }

  /** The bytes of replies that sockets have not taken, for tests. */
  long waitingBytes() {
    return port.waitingBytes();
  }

  /** The routes, for tests. */
  List<Route> routes() {
    return routes.router().routes();
  }

  /** The streams that it serves now, for tests. */
  List<StreamFigures> streams() {
    return routes.streams().all();
  }

  /** Ends all connections. The node goes on. */
  @Override
  public void close() {
    port.close();
    routes.close();
  }
}
