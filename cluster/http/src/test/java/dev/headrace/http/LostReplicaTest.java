package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The contract of the key-value course when a node is lost. */
final class LostReplicaTest {

  @Test
  void oneOfTwoReplicasIsEnoughForOneAndNotForTwo() throws Exception {
    // The first node is the oldest of two: it goes on alone.
    try (HttpCluster cluster = HttpCluster.of(2)) {
      byte[] before = "before".getBytes(StandardCharsets.UTF_8);
      byte[] after = "after".getBytes(StandardCharsets.UTF_8);
      String path = "/v0/entity?id=k";
      assertThat(cluster.put(1, path + "&ack=2&from=2", before).statusCode()).isEqualTo(201);

      cluster.kill(1);

      assertThat(cluster.put(0, path + "&ack=2&from=2", after).statusCode()).isEqualTo(504);
      assertThat(cluster.get(0, path + "&ack=2&from=2").statusCode()).isEqualTo(504);
      assertThat(cluster.delete(0, path + "&ack=2&from=2").statusCode()).isEqualTo(504);
      assertThat(cluster.put(0, path + "&ack=1&from=2", after).statusCode()).isEqualTo(201);
      assertThat(cluster.get(0, path + "&ack=1&from=2").body()).isEqualTo(after);
      assertThat(cluster.delete(0, path + "&ack=1&from=2").statusCode()).isEqualTo(202);
      assertThat(cluster.get(0, path + "&ack=1&from=2").statusCode()).isEqualTo(404);
    }
  }
}
