package dev.headrace.http;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeCluster;
import dev.headrace.cluster.node.NodeTuning;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;

/** Nodes with a port for HTTP each, and a client. */
final class HttpCluster implements AutoCloseable {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final NodeCluster nodes = new NodeCluster();
  private final NodeTuning tuning;
  private final BitSet killed = new BitSet();
  private final List<HttpServer> servers = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  HttpCluster() {
    this(NodeTuning.defaults());
  }

  /** A cluster without nodes yet. */
  HttpCluster(NodeTuning tuning) {
    this.tuning = tuning;
  }

  static HttpCluster of(int size) {
    return of(size, settings -> settings);
  }

  static HttpCluster of(int size, UnaryOperator<NodeSettings.Builder> change) {
    HttpCluster cluster = new HttpCluster();
    for (int i = 0; i < size; i++) {
      cluster.start(change, HttpSettings.builder());
    }
    return cluster;
  }

  HttpServer start(UnaryOperator<NodeSettings.Builder> change, HttpSettings.Builder http) {
    return start(change, http, tuning);
  }

  /** Starts a node with a tuning of its own. */
  HttpServer start(
      UnaryOperator<NodeSettings.Builder> change, HttpSettings.Builder http, NodeTuning own) {
    HeadraceNode node =
        nodes.start(
            settings -> change.apply(settings.operationTimeout(Duration.ofSeconds(30))), own);
    HttpServer server = HttpServer.start(node, http.build());
    servers.add(server);
    return server;
  }

  HeadraceNode node(int index) {
    return nodes.node(index);
  }

  HttpServer server(int index) {
    return servers.get(index);
  }

  int port(int index) {
    return servers.get(index).port();
  }

  HttpRequest.Builder to(int index, String path) {
    return HttpRequest.newBuilder(URI.create(servers.get(index).url() + path))
        .timeout(Duration.ofMinutes(2));
  }

  HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  HttpResponse<byte[]> get(int index, String path) throws IOException {
    return send(to(index, path).GET());
  }

  /**
   * Waits until all ports that are left know a cache: one that Java has opened is noted a little
   * later.
   */
  void awaitCache(String name) throws IOException {
    long beganNanos = System.nanoTime();
    for (int index = 0; index < servers.size(); index++) {
      while (!killed.get(index)
          && get(index, "/v1/caches/" + name + "/entries?limit=1").statusCode() == 404) {
        if (System.nanoTime() - beganNanos > PATIENCE_NANOS) {
          throw new AssertionError("The cache " + name + " is not noted");
        }
        Thread.onSpinWait();
      }
    }
  }

  HttpResponse<byte[]> put(int index, String path, byte[] body) throws IOException {
    return send(to(index, path).PUT(HttpRequest.BodyPublishers.ofByteArray(body)));
  }

  HttpResponse<byte[]> delete(int index, String path) throws IOException {
    return send(to(index, path).DELETE());
  }

  /** Ends a node as a crash does. Its port goes, too. */
  void kill(int index) {
    killed.set(index);
    servers.get(index).close();
    nodes.node(index).kill();
  }

  @Override
  public void close() {
    servers.forEach(HttpServer::close);
    nodes.close();
  }
}
