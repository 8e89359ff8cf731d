package dev.headrace.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.http.exchange.BodyIntake;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.BodySource;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Router;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.exchange.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Connections of a port whose routes are the test's own; no node is needed. */
final class PortTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration STALL = Duration.ofMillis(400);
  private static final int LARGE_BYTES = 32 << 20; // more than any socket takes
  private static final int REPLY_BYTES = 40 << 20;
  private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";

  private static HttpPort port(Duration stall, Duration idle, Duration heartbeat, Route... routes) {
    return port(
        new PortLimits(16, 1 << 20, 4 << 20, REPLY_BYTES, LONG, LONG, idle, stall, heartbeat),
        routes);
  }

  private static HttpPort port(PortLimits limits, Route... routes) {
    return new HttpPort(
        "127.0.0.1",
        0,
        1,
        "test-http",
        new HttpPort.Parts(
            new Router(List.of(routes)),
            new AccessRules(null, false, true, Set.of(), Set.of()),
            limits,
            new Nobody(),
            null,
            false));
  }

  /** Keeps no figures. */
  private static final class Nobody implements PortListener {
    @Override
    public void opened() {}

    @Override
    public void closed() {}

    @Override
    public void answered(Verb verb, @Nullable String template, int status, long nanos) {}

    @Override
    public void sent(int bytes) {}
  }

  private static Socket connect(HttpPort port, String request) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(16 << 10);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.port()), 60_000);
    socket.setSoTimeout(60_000);
    send(socket, request);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  /** What comes until some text has come, or the connection ends. */
  private static String readUntil(Socket socket, String text) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    int next = in.read();
    while (next >= 0) {
      read.write(next);
      if (read.toString(StandardCharsets.ISO_8859_1).endsWith(text)) {
        break;
      }
      next = in.read();
    }
    return read.toString(StandardCharsets.ISO_8859_1);
  }

  /** A body that a test writes. */
  private static final class Body implements StreamedBody {
    final CompletableFuture<BodySink> sink = new CompletableFuture<>();
    final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    private final String comment;

    Body(String comment) {
      this.comment = comment;
    }

    @Override
    public void begin(BodySink begun) {
      sink.complete(begun);
    }

    @Override
    public void room() {}

    @Override
    public byte[] whileQuiet() {
      return comment.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void cancelled() {
      cancelled.complete(true);
    }

    Route route() {
      return Route.open(
          Verb.GET,
          "/body",
          call -> CompletableFuture.completedFuture(HttpReply.streamed(200, "text/plain", this)));
    }
  }

  @Test
  void aReplyThatHasNothingToSendIsNotLate() throws Exception {
    Body body = new Body("");
    try (HttpPort port = port(STALL, LONG, LONG, body.route());
        Socket socket = connect(port, "GET /body" + HOST + "\r\n")) {
      BodySink sink = body.sink.get(60, TimeUnit.SECONDS);
      sink.write("first".getBytes(StandardCharsets.US_ASCII));
      readUntil(socket, "first\r\n");
      boolean ended =
          body.cancelled
              .completeOnTimeout(false, 3 * STALL.toMillis(), TimeUnit.MILLISECONDS)
              .get();
      assertThat(ended).as("the connection was closed while nothing waited").isFalse();
      sink.write("second".getBytes(StandardCharsets.US_ASCII));
      assertThat(readUntil(socket, "second\r\n")).endsWith("second\r\n");
      sink.end(Map.of());
      assertThat(readUntil(socket, "0\r\n\r\n")).endsWith("0\r\n\r\n");
    }
  }

  @Test
  void aReaderThatTakesNothingIsLate() throws Exception {
    Body body = new Body("");
    try (HttpPort port = port(STALL, LONG, LONG, body.route());
        Socket socket = connect(port, "GET /body" + HOST + "\r\n")) {
      BodySink sink = body.sink.get(60, TimeUnit.SECONDS);
      sink.write(new byte[LARGE_BYTES]);
      assertThat(body.cancelled.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(socket.isConnected()).isTrue();
    }
  }

  @Test
  void aReaderThatGoesWhileNothingIsSentIsNoticed() throws Exception {
    Body body = new Body("");
    try (HttpPort port = port(LONG, LONG, LONG, body.route());
        Socket socket = connect(port, "GET /body" + HOST + "\r\n")) {
      assertThat(readUntil(socket, "\r\n\r\n")).startsWith("HTTP/1.1 200");
      socket.close();
      assertThat(body.cancelled.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aQuietReplySaysThatItGoesOn() throws Exception {
    Body body = new Body(":\n\n");
    try (HttpPort port = port(LONG, LONG, Duration.ofMillis(50), body.route());
        Socket socket = connect(port, "GET /body" + HOST + "\r\n")) {
      assertThat(readUntil(socket, ":\n\n\r\n")).startsWith("HTTP/1.1 200");
      assertThat(readUntil(socket, ":\n\n\r\n")).isEqualTo("3\r\n:\n\n\r\n");
      socket.close();
      assertThat(body.cancelled.get(60, TimeUnit.SECONDS))
          .as("a client that has gone is noticed")
          .isTrue();
    }
  }

  private static Route whole(String path, int bytes) {
    return Route.open(
        Verb.GET,
        path,
        call -> CompletableFuture.completedFuture(HttpReply.of(200, "x/x", new byte[bytes])));
  }

  @Test
  void repliesThatNobodyReadsAreBoundedTogether() throws Exception {
    String large = "GET /large" + HOST + "\r\n";
    String small = "GET /small" + HOST + "\r\n";
    try (HttpPort port = port(LONG, LONG, LONG, whole("/large", LARGE_BYTES), whole("/small", 9))) {
      try (Socket slow = connect(port, large);
          Socket other = connect(port, "")) {
        assertThat(readUntil(slow, "\r\n\r\n")).startsWith("HTTP/1.1 200");
        send(other, large + small + "HEAD" + large.substring(3));
        assertThat(readUntil(other, "\r\n\r\n"))
            .startsWith("HTTP/1.1 503")
            .contains("retry-after: 1");
        readUntil(other, "}");
        assertThat(readUntil(other, "\r\n\r\n")).as("a small one").startsWith("HTTP/1.1 200");
        assertThat(other.getInputStream().readNBytes(9)).hasSize(9);
        assertThat(readUntil(other, "\r\n\r\n"))
            .as("headers alone")
            .startsWith("HTTP/1.1 200")
            .contains("content-length: " + LARGE_BYTES);
      }
      // The client has gone, and what waited for it, too.
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      String status = "";
      while (!status.contains(" 200 ") && System.nanoTime() - deadlineNanos < 0) {
        try (Socket next = connect(port, large)) {
          status = readUntil(next, "\r\n");
        }
      }
      assertThat(status).contains(" 200 ");
    }
  }

  @Test
  void aBodyThatFailsToBeginEndsTheConnection() throws Exception {
    StreamedBody broken =
        new StreamedBody() {
          @Override
          public void begin(BodySink sink) {
            throw new IllegalStateException("for the test");
          }

          @Override
          public void room() {}

          @Override
          public void cancelled() {}
        };
    Route route =
        Route.open(
            Verb.GET,
            "/body",
            call ->
                CompletableFuture.completedFuture(HttpReply.streamed(200, "text/plain", broken)));
    try (HttpPort port = port(LONG, LONG, LONG, route);
        Socket socket = connect(port, "GET /body" + HOST + "\r\n")) {
      assertThat(readUntil(socket, "never")).doesNotContain("0\r\n\r\n");
    }
  }

  /** An intake that a test empties. */
  private static class Intake implements BodyIntake {
    final CompletableFuture<BodySource> source = new CompletableFuture<>();
    final BlockingQueue<String> came = new LinkedBlockingQueue<>();
    final CompletableFuture<HttpReply> reply = new CompletableFuture<>();
    private final boolean eager;

    Intake() {
      this(false);
    }

    /** An intake that asks for the first piece by itself, or does not. */
    Intake(boolean eager) {
      this.eager = eager;
    }

    @Override
    public void begin(BodySource begun) {
      source.complete(begun);
      if (eager) {
        begun.request();
      }
    }

    @Override
    public void piece(byte[] piece) {
      came.add(new String(piece, StandardCharsets.US_ASCII));
    }

    @Override
    public void end() {
      came.add("END");
    }

    @Override
    public void cancelled() {
      came.add("CANCELLED");
    }

    @Override
    public CompletionStage<HttpReply> reply() {
      return reply;
    }

    Route route() {
      return Route.taking(Verb.POST, "/body", head -> CompletableFuture.completedFuture(this));
    }

    String next() throws Exception {
      source.get(60, TimeUnit.SECONDS).request();
      return came.poll(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aBodyComesInPiecesAsTheyAreAskedFor() throws Exception {
    Intake intake = new Intake();
    try (HttpPort port = port(LONG, LONG, LONG, intake.route());
        Socket socket =
            connect(
                port,
                "POST /body"
                    + HOST
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n")) {
      assertThat(intake.next()).isEqualTo("abc");
      assertThat(intake.came).as("nothing that was not asked for").isEmpty();
      assertThat(intake.next()).isEqualTo("def");
      send(socket, "0\r\n\r\nGET /none" + HOST + "\r\n");
      assertThat(intake.next()).isEqualTo("END");
      intake.reply.complete(HttpReply.text(200, "text/plain", "done"));
      assertThat(readUntil(socket, "done")).startsWith("HTTP/1.1 200 OK");
      assertThat(readUntil(socket, "}")).as("the next request").startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void aClientThatAsksBeforeItSendsIsAnsweredWhenTheBodyIsWanted() throws Exception {
    Intake intake = new Intake();
    try (HttpPort port = port(LONG, LONG, LONG, intake.route());
        Socket socket =
            connect(
                port, "POST /body" + HOST + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")) {
      intake.source.get(60, TimeUnit.SECONDS).request();
      assertThat(readUntil(socket, "\r\n\r\n")).startsWith("HTTP/1.1 100 Continue");
      send(socket, "abc");
      assertThat(intake.came.poll(60, TimeUnit.SECONDS)).isEqualTo("abc");
      assertThat(intake.next()).isEqualTo("END");
    }
  }

  @Test
  void aReplyBeforeTheEndEndsTheConnection() throws Exception {
    Intake intake = new Intake();
    try (HttpPort port = port(LONG, LONG, LONG, intake.route());
        Socket socket = connect(port, "POST /body" + HOST + "Content-Length: 999999\r\n\r\nabc")) {
      assertThat(intake.next()).isEqualTo("abc");
      intake.reply.complete(HttpReply.text(400, "text/plain", "enough"));
      assertThat(readUntil(socket, "enough"))
          .startsWith("HTTP/1.1 400 ")
          .contains("connection: close");
      assertThat(socket.getInputStream().read()).isNegative();
    }
  }

  @Test
  void aClientThatGoesHalfWayAndOneThatIsSilentCancelTheIntake() throws Exception {
    Intake gone = new Intake();
    try (HttpPort port = port(LONG, LONG, LONG, gone.route())) {
      try (Socket socket = connect(port, "POST /body" + HOST + "Content-Length: 999\r\n\r\nabc")) {
        assertThat(gone.next()).isEqualTo("abc");
        gone.source.get().request();
        assertThat(socket.isConnected()).isTrue();
      }
      assertThat(gone.came.poll(60, TimeUnit.SECONDS)).isEqualTo("CANCELLED");
    }
    Intake silent = new Intake();
    try (HttpPort port = port(LONG, STALL, LONG, silent.route());
        Socket socket = connect(port, "POST /body" + HOST + "Content-Length: 999\r\n\r\nabc")) {
      assertThat(silent.next()).isEqualTo("abc");
      assertThat(silent.next()).isEqualTo("CANCELLED");
      assertThat(readUntil(socket, "never")).isEmpty();
    }
  }

  @Test
  void whatAClientHasSentBeforeItGoesComesFirst() throws Exception {
    Intake intake = new Intake(true);
    try (HttpPort port = port(LONG, LONG, LONG, intake.route())) {
      String chunks = "3\r\nabc\r\n3\r\ndef\r\n3\r\nghi\r\n";
      try (Socket socket =
          connect(port, "POST /body" + HOST + "Transfer-Encoding: chunked\r\n\r\n" + chunks)) {
        assertThat(socket.isConnected()).isTrue();
      }
      assertThat(intake.came.poll(60, TimeUnit.SECONDS)).isEqualTo("abc");
      assertThat(intake.came.poll(3 * STALL.toMillis(), TimeUnit.MILLISECONDS))
          .as("the end is not seen before what came before it is used")
          .isNull();
      assertThat(intake.next()).isEqualTo("def");
      assertThat(intake.next()).isEqualTo("ghi");
      assertThat(intake.next()).isEqualTo("CANCELLED");
    }
  }

  @Test
  void aClientThatIsHeldBackIsNotLate() throws Exception {
    Intake intake = new Intake();
    try (HttpPort port = port(STALL, STALL, LONG, intake.route());
        Socket socket = connect(port, "POST /body" + HOST + "Content-Length: 6\r\n\r\nabc")) {
      assertThat(intake.next()).isEqualTo("abc");
      assertThat(intake.came.poll(3 * STALL.toMillis(), TimeUnit.MILLISECONDS))
          .as("nothing happens while the cluster is waited for")
          .isNull();
      send(socket, "def");
      assertThat(intake.next()).isEqualTo("def");
      assertThat(intake.next()).isEqualTo("END");
    }
  }

  @Test
  void aFaultOfARouteThatTakesABodyIsAnswered() throws Exception {
    Route opens =
        Route.taking(
            Verb.POST,
            "/opens",
            head -> {
              throw new IllegalStateException("for the test");
            });
    Intake broken =
        new Intake() {
          @Override
          public void begin(BodySource begun) {
            throw new IllegalStateException("for the test");
          }
        };
    Route begins =
        Route.taking(Verb.POST, "/begins", head -> CompletableFuture.completedFuture(broken));
    try (HttpPort port = port(LONG, LONG, LONG, opens, begins)) {
      for (String path : List.of("/opens", "/begins")) {
        try (Socket socket =
            connect(port, "POST " + path + HOST + "Content-Length: 3\r\n\r\nabc")) {
          assertThat(readUntil(socket, "}")).as(path).startsWith("HTTP/1.1 500");
        }
      }
      assertThat(broken.came.poll(60, TimeUnit.SECONDS)).isEqualTo("CANCELLED");
    }
  }

  /** Sends a little, and tells whether the connection goes on: its end is waited for a moment. */
  private static boolean goesOn(Socket socket) throws IOException {
    socket.setSoTimeout(100);
    try {
      send(socket, "x");
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      return true;
    } catch (SocketException e) { // it was reset
      return false;
    }
  }

  /** More than its time only if it comes at 4 KB/s or faster. */
  @Test
  void aBodyThatComesTooSlowlyIsNotAwaitedAnyLonger() throws Exception {
    Route lengths =
        Route.open(
            Verb.PUT,
            "/whole",
            call ->
                CompletableFuture.completedFuture(
                    HttpReply.text(200, "text/plain", call.body().length + " bytes")));
    int wholeBytes = 1_000_000;
    String head = "PUT /whole" + HOST + "Content-Length: " + wholeBytes + "\r\n\r\n";
    String part = "x".repeat(2_000); // 20 KB/s at most
    PortLimits limits =
        new PortLimits(
            16, 1 << 20, 4 << 20, REPLY_BYTES, LONG, Duration.ofSeconds(3), LONG, LONG, LONG);
    try (HttpPort port = port(limits, lengths);
        Socket slow = connect(port, head);
        Socket quick = connect(port, head)) {
      long beganNanos = System.nanoTime();
      int sentBytes = 0;
      while (goesOn(slow)) {
        assertThat(System.nanoTime() - beganNanos)
            .as("until the slow one is cut off")
            .isLessThan(TimeUnit.SECONDS.toNanos(90));
        if (sentBytes < wholeBytes - part.length()) {
          send(quick, part);
          sentBytes += part.length();
        }
      }
      send(quick, "x".repeat(wholeBytes - sentBytes));
      assertThat(readUntil(quick, " bytes"))
          .as("a client that sends faster has all the time that it needs")
          .startsWith("HTTP/1.1 200 ")
          .endsWith("1000000 bytes");
      assertThat(port.connections()).isEqualTo(1);
    }
  }

  @Test
  void aDamagedChunkIsRefusedAndCancelsTheIntake() throws Exception {
    Intake intake = new Intake();
    try (HttpPort port = port(LONG, LONG, LONG, intake.route());
        Socket socket =
            connect(port, "POST /body" + HOST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")) {
      assertThat(intake.next()).isEqualTo("CANCELLED");
      assertThat(readUntil(socket, "}")).startsWith("HTTP/1.1 400");
    }
  }
}
