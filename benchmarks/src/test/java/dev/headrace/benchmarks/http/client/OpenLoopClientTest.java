package dev.headrace.benchmarks.http.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class OpenLoopClientTest {
  private static final LoadPlan.Work PUTS = new LoadPlan.Work(true, true, 1_000, 10, 100, "");

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final OpenLoopClient client = new OpenLoopClient();
  private HttpServer server;

  private int serve(HttpHandler handler) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", handler);
    server.start();
    return server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange, int status) throws IOException {
    exchange.getRequestBody().readAllBytes();
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  @AfterEach
  void stop() {
    client.close();
    if (server != null) {
      server.stop(0);
    }
    threads.shutdownNow();
  }

  @Test
  void everyRequestIsAnsweredOnce() throws IOException {
    int port = serve(exchange -> answer(exchange, 201));
    LoadOutcome outcome = client.run(new LoadPlan(port, PUTS, new RequestSchedule(2_000, 4, 500)));
    assertThat(outcome.firstError()).isEmpty();
    assertThat(outcome.answered()).isEqualTo(500);
    assertThat(outcome.latencies().count()).isEqualTo(500);
    assertThat(outcome.unanswered()).isZero();
    assertThat(outcome.seconds()).as("the last was due then").isGreaterThanOrEqualTo(499 / 2_000.0);
  }

  @Test
  void allAtOnceIsAsFastAsTheAnswersCome() throws IOException {
    int port = serve(exchange -> answer(exchange, 201));
    LoadOutcome outcome = client.run(new LoadPlan(port, PUTS, new RequestSchedule(0, 4, 500)));
    assertThat(outcome.answered()).isEqualTo(500);
    assertThat(outcome.errors()).isZero();
  }

  @Test
  void requestsThatWaitBehindASlowOneAreSlowToo() throws IOException {
    // Two connections, a request a millisecond: one is held until the other has had twenty, and
    // the requests that were due on it meanwhile wait, though each is answered at once when sent.
    CountDownLatch others = new CountDownLatch(20);
    int port =
        serve(
            exchange -> {
              if (exchange.getRequestURI().getQuery().equals("id=k00000000")) {
                await(others);
              } else {
                others.countDown();
              }
              answer(exchange, 201);
            });
    LoadOutcome outcome = client.run(new LoadPlan(port, PUTS, new RequestSchedule(1_000, 2, 200)));
    assertThat(outcome.firstError()).isEmpty();
    assertThat(outcome.latencies().millis(94))
        .as("thirteen requests and more have waited")
        .isGreaterThan(10);
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new IOException("the other connection has not been used");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Test
  void anUnexpectedAnswerIsAnError() throws IOException {
    int port = serve(exchange -> answer(exchange, 503));
    LoadOutcome outcome = client.run(new LoadPlan(port, PUTS, new RequestSchedule(0, 2, 10)));
    assertThat(outcome.errors()).isEqualTo(10);
    assertThat(outcome.firstError()).contains("503");
    assertThat(outcome.isWithin(1_000)).isFalse();
  }

  @Test
  void aNodeThatDoesNotAnswerIsGivenUpAndItsRequestsCount() throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    int port =
        serve(
            exchange -> {
              await(never);
              answer(exchange, 201);
            });
    LoadOutcome outcome =
        client.run(new LoadPlan(port, PUTS, new RequestSchedule(100, 2, 1_000_000)));
    never.countDown();
    assertThat(outcome.answered()).isZero();
    assertThat(outcome.unanswered()).isBetween(200L, 1_000L);
    assertThat(outcome.latencies().maxMillis()).isGreaterThan(2_000);
    assertThat(outcome.isWithin(1_000)).isFalse();
  }

  @Test
  void aNodeThatIsNotThereIsNamed() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    LoadPlan plan = new LoadPlan(port, PUTS, new RequestSchedule(0, 1, 1));
    assertThatThrownBy(() -> client.run(plan)).hasMessageContaining(String.valueOf(port));
  }

  @Test
  void aPlanAndAnOutcomeCrossTheLineToAFork() throws IOException {
    int port = serve(exchange -> answer(exchange, 201));
    LoadPlan plan =
        new LoadPlan(port, PUTS.withQuery("&ack=1&from=2"), new RequestSchedule(500, 2, 20));
    assertThat(LoadPlan.of(plan.command())).isEqualTo(plan);
    LoadOutcome outcome = client.run(plan);
    LoadOutcome copy = LoadOutcome.of(outcome.message());
    assertThat(copy.answered()).isEqualTo(20);
    assertThat(copy.latencies().millis(99)).isEqualTo(outcome.latencies().millis(99));
  }
}
