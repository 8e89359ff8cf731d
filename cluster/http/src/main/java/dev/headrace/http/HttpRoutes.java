package dev.headrace.http;

import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.http.cache.CacheListRoute;
import dev.headrace.http.cache.EntryRoutes;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.entity.EntityRoutes;
import dev.headrace.http.entity.RangeRoute;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Router;
import dev.headrace.http.exchange.Verb;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.http.export.ExportRoute;
import dev.headrace.http.server.PortListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All routes of a node, and what they share.
 *
 * @param router the routes
 * @param listener keeps figures
 * @param streams the streams that they serve
 * @param end ends what the routes began
 */
record HttpRoutes(Router router, PortListener listener, ActiveStreams streams, Runnable end) {

  /** The routes of a node. */
  static HttpRoutes of(HeadraceNode node, HttpSettings settings) {
    OpenCaches caches = new OpenCaches(node);
    List<Route> routes = new ArrayList<>();
    routes.addAll(new EntityRoutes(node, caches).routes());
    routes.add(new RangeRoute(node, caches).route());
    routes.addAll(new EntryRoutes(caches).routes());
    routes.add(new CacheListRoute(node).route());
    ActiveStreams streams = new ActiveStreams(settings.maxStreams());
    routes.add(new ExportRoute(node, caches, streams).route());
    return new HttpRoutes(new Router(routes), new Silent(), streams, () -> {});
  }

  /** Ends what the routes began. */
  void close() {
    end.run();
  }

  private static final class Silent implements PortListener {
    @Override
    public void opened() {}

    @Override
    public void closed() {}

    @Override
    public void answered(Verb verb, @Nullable String template, int status, long nanos) {}

    @Override
    public void sent(int bytes) {}
  }
}
