package dev.headrace.http.status;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.headrace.api.ClusterStatus;
import dev.headrace.cluster.node.NodeView;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.http.export.SimulatedStreams;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The console's files and feed over a cluster that does not exist: any number of members and
 * segments, which move as told. Thread-safe.
 */
public final class SimulatedConsole implements AutoCloseable {
  private static final int OWNERS = 2;
  private static final String ENTRY =
      "{\"key\":\"sensor-%04d\",\"value\":{\"celsius\":%d,\"place\":\"mill %d\"}}\n";

  private final Random random = new Random(7);
  private final int segments;
  private final List<Member> members = new ArrayList<>(); // guarded by this
  private final int[][] owners; // guarded by this
  private final ActiveStreams streams = new ActiveStreams(64);
  private final OperationRates operations = new OperationRates();
  private final AtomicLong sentBytes = new AtomicLong();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ClusterFeed feed;
  private final HttpServer server;
  private long epoch = 1; // guarded by this
  private int planned; // guarded by this
  private int copied; // guarded by this
  private final Set<Integer> outOfSync = new TreeSet<>(); // of the first member; guarded by this

  /** A cluster at rest. */
  public SimulatedConsole(int memberCount, int segments) throws IOException {
    this.segments = segments;
    this.owners = new int[segments][];
    for (int i = 0; i < memberCount; i++) {
      join();
    }
    for (int segment = 0; segment < segments; segment++) {
      owners[segment] = pair(random.nextInt(memberCount), memberCount);
    }
    planned = 0;
    SimulatedStreams.show(streams, "sensors", segments, "node-1", "node-2", "node-3", "node-4");
    feed =
        new ClusterFeed(
            "simulated-feed",
            this::status,
            this::view,
            streams,
            new ClusterFeed.PortFigures() {
              @Override
              public long requests() {
                return 0;
              }

              @Override
              public long sentBytes() {
                return sentBytes.get();
              }

              @Override
              public OperationRates operations() {
                return operations;
              }
            });
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private int[] pair(int primary, int memberCount) {
    return new int[] {primary, (primary + 1 + random.nextInt(memberCount - 1)) % memberCount};
  }

  /** Where the page is. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  /** The bytes that the feed has sent to all pages. */
  public long sentBytes() {
    return sentBytes.get();
  }

  /** Takes one more member in, which holds nothing. */
  public synchronized void join() {
    int number = members.size() + 1;
    members.add(
        new Member(
            new NodeId(9, number),
            "node-" + number,
            "10.0.0." + number,
            7_000,
            "zone-" + (char) ('a' + number % 3),
            1));
    epoch++;
  }

  /** Tells of moves that are still to come, for the progress. */
  public synchronized void plan(int copies) {
    planned = copies;
    copied = 0;
  }

  /** Gives some segments to a member as their primary; work goes on meanwhile. */
  public synchronized void move(int count, int target) {
    for (int i = 0; i < count; i++) {
      int segment = random.nextInt(segments);
      if (owners[segment][0] != target && owners[segment][1] != target) {
        owners[segment] = new int[] {target, owners[segment][0]};
      }
    }
    copied = Math.min(planned, copied + count);
    epoch++;
  }

  /**
   * A member joins, and some segments have moved to it before anybody was told of it.
   *
   * @return how many copies went from whom to whom
   */
  public synchronized Map<String, Integer> joinAndMove(int count) {
    join();
    int target = members.size() - 1;
    Map<String, Integer> flows = new TreeMap<>();
    for (int segment = 0; segment < count; segment++) {
      flow(flows, owners[segment][0], target);
      owners[segment] = new int[] {target, owners[segment][0]};
    }
    planned = count;
    copied = count;
    return flows;
  }

  /**
   * A member goes, and all of its segments have other owners before anybody was told of it.
   *
   * @return how many copies went from whom to whom
   */
  public synchronized Map<String, Integer> leaveAndMove(int gone) {
    Map<String, Integer> flows = new TreeMap<>();
    copied = 0;
    for (int segment = 0; segment < segments; segment++) {
      int[] before = owners[segment];
      if (before[0] == gone || before[1] == gone) {
        int left = before[0] == gone ? before[1] : before[0];
        int target = (left + 1) % members.size() == gone ? left + 2 : left + 1;
        owners[segment] = new int[] {left, target % members.size()};
        flow(flows, left, target % members.size());
        copied++;
      }
    }
    planned = copied;
    members.remove(gone);
    for (int[] pair : owners) {
      for (int i = 0; i < pair.length; i++) {
        pair[i] -= pair[i] > gone ? 1 : 0;
      }
    }
    epoch++;
    return flows;
  }

  private void flow(Map<String, Integer> flows, int source, int target) {
    flows.merge(members.get(source).name() + " → " + members.get(target).name(), 1, Integer::sum);
  }

  /** A segment loses its backup. */
  public synchronized void loseBackup(int segment) {
    owners[segment] = new int[] {owners[segment][0]};
    epoch++;
  }

  /** A segment belongs to the first member, which is not in sync for it. */
  public synchronized void fallBehind(int segment) {
    owners[segment] = new int[] {1, 0};
    outOfSync.add(segment);
    epoch++;
  }

  /** Gives every segment another primary at once. */
  public synchronized void moveAll() {
    for (int segment = 0; segment < segments; segment++) {
      int target = (owners[segment][0] + 1) % members.size();
      owners[segment] = new int[] {target, owners[segment][0]};
    }
    epoch++;
  }

  /** Lets clients read, write and stream for a while. */
  public void work() {
    for (int i = 0; i < 900 + random.nextInt(250); i++) {
      Verb verb = i % 4 == 0 ? Verb.PUT : Verb.GET;
      operations.answered(
          verb, "/v0/entity", (long) (180_000 * Math.exp(random.nextGaussian() * .7)));
    }
    sentBytes.addAndGet(40_000);
    SimulatedStreams.go(streams);
  }

  private synchronized NodeView view() {
    int[][] copy = Arrays.stream(owners).map(int[]::clone).toArray(int[][]::new);
    TableHeader header = new TableHeader(epoch, 7, 7, 7, segments, OWNERS, 1 << 20);
    return new NodeView(
        SegmentTable.of(header, members, copy), members.get(0).id(), true, Long.MAX_VALUE);
  }

  /** Another number each time, so that the figures of every member change all the time. */
  private long told() {
    return random.nextInt(100_000);
  }

  private synchronized ClusterStatus status() {
    int[][] held = new int[members.size()][2];
    int missing = 0;
    for (int[] row : owners) {
      held[row[0]][0]++;
      if (row.length > 1) {
        held[row[1]][1]++;
      } else {
        missing++;
      }
    }
    List<ClusterStatus.Member> told = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      long used = (held[i][0] + held[i][1]) * 260_000_000L / segments + i * 7_000_000L + told();
      told.add(
          new ClusterStatus.Member(
              member.name(),
              member.host() + ":" + member.dataPort(),
              member.zone(),
              1,
              held[i][0],
              held[i][1],
              new ClusterStatus.Memory(used, 512_000_000),
              i == 0,
              i == 0,
              new ClusterStatus.StreamMemory(64_000_000, i == 0 ? 29_000 : 0, i == 0 ? 1 : 0, 0),
              1_200_000,
              i * 40_000L,
              i == 0 ? outOfSync.size() : 0,
              i == 0 ? List.copyOf(outOfSync) : List.of()));
    }
    return new ClusterStatus(
        "mill-race",
        epoch,
        segments,
        OWNERS,
        OWNERS,
        "levelled-rendezvous",
        List.of(),
        told,
        planned == 0
            ? null
            : new ClusterStatus.Rebalance(
                planned,
                planned,
                copied,
                Math.min(6, planned - copied),
                copied * 1_100_000L,
                Duration.ofMillis(copied * 55L),
                Duration.ofMillis((planned - copied) * 55L),
                moves()),
        null,
        new ClusterStatus.StreamMemory(64_000_000, 29_000, 1, 0),
        Duration.ZERO,
        List.of(),
        "none",
        missing,
        8);
  }

  /** Those of six segments that have not got there; the caller holds this monitor. */
  private List<ClusterStatus.Move> moves() {
    String last = "node-" + members.size();
    return IntStream.range(0, Math.min(6, planned - copied))
        .mapToObj(i -> new ClusterStatus.Move(10 + i, "node-1", List.of(last), i == 0))
        .toList();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    HttpReply file = ConsolePages.reply(path);
    if (file != null) {
      file.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
      send(exchange, 200, file.body());
    } else if (path.equals("/v1/cluster/events")) {
      feed(exchange);
    } else if (path.equals("/v1/caches")) {
      send(exchange, 200, "{\"caches\":[{\"name\":\"sensors\",\"entries\":120000}]}");
    } else if (path.equals("/v1/caches/sensors/entries")) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        lines.append(ENTRY.formatted(i * 37, i % 31, i % 5));
      }
      send(exchange, 200, lines.append("{\"resume\":\"token\"}\n").toString());
    } else {
      send(exchange, 404, "{\"detail\":\"not simulated\"}");
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    send(exchange, status, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private void feed(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("content-type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    streams.enter();
    StreamedBody page = feed.page();
    CountDownLatch ended = new CountDownLatch(1);
    page.begin(new PageSink(exchange.getResponseBody(), page, ended));
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.close();
  }

  /** Writes a page's feed to its socket, on the feed's thread. */
  private final class PageSink implements BodySink {
    private final OutputStream out;
    private final StreamedBody page;
    private final CountDownLatch ended;

    PageSink(OutputStream out, StreamedBody page, CountDownLatch ended) {
      this.out = out;
      this.page = page;
      this.ended = ended;
    }

    @Override
    public void write(byte[] piece) {
      sentBytes.addAndGet(piece.length);
      try {
        out.write(piece);
        out.flush();
      } catch (IOException e) { // the page was closed
        page.cancelled();
        ended.countDown();
      }
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public Executor executor() {
      return Runnable::run;
    }

    @Override
    public void end(Map<String, String> trailers) {
      ended.countDown();
    }

    @Override
    public void abort() {
      ended.countDown();
    }
  }

  @Override
  public void close() {
    feed.close();
    server.stop(0);
    threads.shutdownNow();
  }
}
