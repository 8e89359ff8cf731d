package dev.headrace.http.status;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.NodeView;
import dev.headrace.http.exchange.BodySink;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.StreamedBody;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.rebalance.table.SegmentTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells pages what changes in the cluster, as server-sent events, twice a second:
 *
 * <ul>
 *   <li>{@code table}: who owns which segment, at first and when members have changed,
 *   <li>{@code moved}: the segments whose owners have changed since,
 *   <li>{@code members}: the members with their load, when it has changed; the more members there
 *       are, the less often,
 *   <li>{@code happened}: joins, losses, moves and warnings, the latest of the past at first,
 *   <li>{@code status}: the rest, with streams and rates.
 * </ul>
 *
 * <p>A page that does not read gets the newest state when it does, and holds no queue. Thread-safe.
 */
public final class ClusterFeed implements AutoCloseable {
  private static final long PERIOD_MILLIS = 500;
  private static final String MEDIA_TYPE = "text/event-stream";

  /** So many members may be told of at every turn. */
  private static final int MEMBERS_A_TURN = 10;

  /** While nobody looks, what happens is noted at every so many turns. */
  private static final int TURNS_UNSEEN = 4;

  private static final Logger LOG = LoggerFactory.getLogger(ClusterFeed.class);

  private final Supplier<ClusterStatus> statuses;
  private final Supplier<NodeView> views;
  private final ActiveStreams streams;
  private final PortFigures figures;
  private final List<Page> pages = new CopyOnWriteArrayList<>();
  private final RecentEvents recent = new RecentEvents(); // of the timer's thread
  private final ScheduledExecutorService timer;
  private int turns; // of the timer's thread

  /** What a port counts. */
  interface PortFigures {
    /** Requests answered so far. */
    long requests();

    /** Bytes of bodies sent so far. */
    long sentBytes();

    /** Reads and writes of entries. */
    OperationRates operations();
  }

  /** A feed of what a node knows. */
  public ClusterFeed(HeadraceNode node, ActiveStreams streams, NodeMeters meters) {
    this(
        "headrace-" + node.settings().nodeName() + "-http-feed",
        node::status,
        node::view,
        streams,
        meters);
  }

  /**
   * A feed.
   *
   * @param thread the name of its thread
   */
  ClusterFeed(
      String thread,
      Supplier<ClusterStatus> statuses,
      Supplier<NodeView> views,
      ActiveStreams streams,
      PortFigures figures) {
    this.statuses = statuses;
    this.views = views;
    this.streams = streams;
    this.figures = figures;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread feed = new Thread(task, thread);
              feed.setDaemon(true);
              return feed;
            });
    var unused =
        timer.scheduleWithFixedDelay(
            this::turn, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The route. */
  public Route route() {
    return Route.of(Verb.GET, "/v1/cluster/events", this::answer);
  }

  private CompletionStage<HttpReply> answer(HttpCall call) {
    call.query().allowOnly(Set.of());
    if (call.verb() == Verb.HEAD) {
      return CompletableFuture.completedFuture(
          HttpReply.headersOfStreamed(200, MEDIA_TYPE).with("cache-control", "no-store"));
    }
    streams.enter();
    return CompletableFuture.completedFuture(
        HttpReply.streamed(200, MEDIA_TYPE, page()).with("cache-control", "no-store"));
  }

  /** What one page is sent; a stream of {@link ActiveStreams} that was entered. */
  StreamedBody page() {
    return new Page();
  }

  private void turn() {
    if (pages.isEmpty() && turns++ % TURNS_UNSEEN != 0) {
      return;
    }
    try {
      ClusterStatus status = statuses.get();
      recent.observe(status, System.currentTimeMillis());
      if (pages.isEmpty()) {
        return;
      }
      NodeView view = views.get();
      String event = status(status);
      String members = Json.object(json -> ClusterJson.members(json, status.members()));
      for (Page page : pages) {
        page.turn(view, status.members().size(), members, event);
      }
    } catch (NodeClosedException e) {
      pages.forEach(Page::end);
    } catch (RuntimeException e) { // otherwise the timer would drop the task
      LOG.error("The feed of a page failed; it goes on", e);
    }
  }

  private String status(ClusterStatus status) {
    OperationRates.Figures operations = figures.operations().next();
    return event(
        "status",
        Json.object(
            json -> {
              ClusterJson.cluster(json, status);
              ClusterJson.copying(json, status);
              ClusterJson.streams(json, streams.all(), status.segments());
              json.writeNumberField("requests", figures.requests());
              json.writeNumberField("sentBytes", figures.sentBytes());
              operations.write(json);
            }));
  }

  private static String event(String name, String json) {
    return "event: " + name + "\ndata: " + json + "\n\n";
  }

  /** Ends all pages. */
  @Override
  public void close() {
    timer.shutdownNow();
    pages.forEach(Page::end);
  }

  /** One page that looks. Its state belongs to the feed's thread. */
  private final class Page implements StreamedBody {
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable BodySink sink;
    private @Nullable SegmentTable told;
    private String toldMembers = "";
    private long toldEvents;
    private int turns;

    @Override
    public void begin(BodySink begun) {
      sink = begun;
      pages.add(this);
      begun.write(": headrace\n\n".getBytes(StandardCharsets.UTF_8));
      timer.execute(ClusterFeed.this::turn);
    }

    @Override
    public void room() {
      // The next turn has the newest state.
    }

    void turn(NodeView view, int memberCount, String members, String status) {
      BodySink to = sink;
      if (to == null || ended.get() || !to.hasRoom()) {
        return;
      }
      StringBuilder text = new StringBuilder();
      boolean first = told == null;
      table(view, text);
      boolean due = first || turns++ % (1 + memberCount / MEMBERS_A_TURN) == 0;
      if (due && !members.equals(toldMembers)) {
        toldMembers = members;
        text.append(event("members", members));
      }
      List<RecentEvents.Event> news = recent.since(toldEvents);
      if (!news.isEmpty()) {
        toldEvents = news.get(news.size() - 1).number();
        text.append(event("happened", Json.object(json -> RecentEvents.write(json, news))));
      }
      text.append(status);
      to.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private void table(NodeView view, StringBuilder text) {
      SegmentTable before = told;
      SegmentTable now = view.table();
      told = now;
      if (before == null || !before.members().equals(now.members())) {
        text.append(event("table", Json.object(json -> ClusterJson.table(json, view))));
        return;
      }
      List<Integer> moved = new ArrayList<>();
      for (int segment = 0; segment < now.segments() && before.epoch() != now.epoch(); segment++) {
        if (!before.owners(segment).equals(now.owners(segment))) {
          moved.add(segment);
        }
      }
      if (!moved.isEmpty()) {
        text.append(event("moved", moved(now, moved)));
      }
    }

    private static String moved(SegmentTable now, List<Integer> moved) {
      return Json.object(
          json -> {
            json.writeNumberField("epoch", now.epoch());
            json.writeArrayFieldStart("changes");
            for (int segment : moved) {
              json.writeStartArray();
              json.writeNumber(segment);
              ClusterJson.owners(json, now, segment);
              json.writeEndArray();
            }
            json.writeEndArray();
          });
    }

    @Override
    public void cancelled() {
      leave();
    }

    void end() {
      BodySink to = sink;
      if (leave() && to != null) {
        to.end(Map.of());
      }
    }

    private boolean leave() {
      boolean first = ended.compareAndSet(false, true);
      if (first) {
        pages.remove(this);
        streams.leave();
      }
      return first;
    }
  }
}
