package dev.headrace.benchmarks.http.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.benchmarks.peer.LoopbackPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ProxyNodeTest {
  private static final int NODES = 3;

  private final HttpClient client = HttpClient.newHttpClient();
  private final List<ProxyNode> nodes = new ArrayList<>();
  private List<Integer> ports;

  @BeforeEach
  void start() {
    ports = Arrays.stream(LoopbackPorts.free(NODES)).boxed().toList();
    for (int i = 0; i < NODES; i++) {
      nodes.add(new ProxyNode(new NodePlace(i, 2, 0, ports, ports)));
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(ProxyNode::close);
  }

  private HttpResponse<String> send(int node, String query, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://localhost:" + ports.get(node) + "/v0/entity?" + query));
    if (body != null) {
      request.PUT(BodyPublishers.ofString(body));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void whatOneNodeWritesEveryNodeReads() throws Exception {
    for (int key = 0; key < 50; key++) {
      assertThat(send(key % NODES, "id=k" + key, "value-" + key).statusCode()).isEqualTo(201);
    }
    for (int key = 0; key < 50; key++) {
      for (int node = 0; node < NODES; node++) {
        assertThat(send(node, "id=k" + key, null).body()).isEqualTo("value-" + key);
        assertThat(send(node, "ack=1&from=2&id=k" + key, null).body()).isEqualTo("value-" + key);
      }
    }
  }

  @Test
  void theLastWriteCounts() throws Exception {
    send(0, "id=k", "old");
    send(1, "id=k", "new");
    for (int node = 0; node < NODES; node++) {
      assertThat(send(node, "id=k", null).body()).isEqualTo("new");
    }
  }

  @Test
  void whatNobodyHasWrittenIsAbsent() throws Exception {
    assertThat(send(0, "id=none", null).statusCode()).isEqualTo(404);
    assertThat(send(0, "id=", null).statusCode()).isEqualTo(400);
    assertThat(send(0, "id=k&ack=3&from=2", null).statusCode()).isEqualTo(400);
  }

  @Test
  void withoutAnOwnerAQuorumOfTwoIsNotEnough() throws Exception {
    nodes.get(1).close();
    nodes.get(2).close();
    int enough = 0;
    for (int key = 0; key < 50; key++) {
      int status = send(0, "id=k" + key, "v").statusCode();
      assertThat(status).isEqualTo(504);
      enough += send(0, "ack=1&from=2&id=k" + key, "v").statusCode() == 201 ? 1 : 0;
    }
    assertThat(enough).as("keys of which the node has a copy").isBetween(10, 49);
  }
}
