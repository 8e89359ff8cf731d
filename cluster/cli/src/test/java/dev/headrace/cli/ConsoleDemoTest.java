package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cluster that runs for visitors to look at. */
@Timeout(240)
final class ConsoleDemoTest {
  private static final Pattern ADDRESS = Pattern.compile("Open (http://127\\.0\\.0\\.1:\\d+/) in");

  private final HttpClient client = HttpClient.newHttpClient();

  private String get(String url) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void itShowsAClusterUnderLoadAndEndsWithCtrlC() throws Exception {
    CommandRun run = new CommandRun();
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(() -> run.run("demo", "--console"));
    run.awaitOutput("in a browser");
    Matcher address = ADDRESS.matcher(run.out());
    assertThat(address.find()).as(run.out()).isTrue();
    assertThat(get(address.group(1))).contains("<title>Headrace</title>");

    run.awaitOutput("A node joins");
    String cluster = get(address.group(1) + "v1/cluster");
    while (!cluster.contains("node-6") || !cluster.contains("\"cache\":\"unicode\"")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      cluster = get(address.group(1) + "v1/cluster");
    }
    run.interrupt();
    assertThat(exitCode.get(60, TimeUnit.SECONDS)).isEqualTo(130);
    assertThat(run.out()).contains("All nodes have ended");
  }
}
