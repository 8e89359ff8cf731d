package dev.headrace.http;

import dev.headrace.api.Registration;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.node.ReadyState;
import dev.headrace.http.aggregate.AggregateRoute;
import dev.headrace.http.cache.EntryRoutes;
import dev.headrace.http.cache.OpenCaches;
import dev.headrace.http.change.ChangesRoute;
import dev.headrace.http.entity.EntityRoutes;
import dev.headrace.http.entity.RangeRoute;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Router;
import dev.headrace.http.export.ActiveStreams;
import dev.headrace.http.export.ExportRoute;
import dev.headrace.http.load.LoadRoute;
import dev.headrace.http.server.PortListener;
import dev.headrace.http.status.CacheListRoute;
import dev.headrace.http.status.ClusterFeed;
import dev.headrace.http.status.ClusterRoutes;
import dev.headrace.http.status.ConsolePages;
import dev.headrace.http.status.NodeMeters;
import java.util.ArrayList;
import java.util.List;

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
    Registration removals = node.onForget(caches::forget);
    ActiveStreams streams = new ActiveStreams(settings.maxStreams());
    ReadyState ready = new ReadyState(node);
    NodeMeters meters = new NodeMeters(node, streams, ready, settings.registry());
    ClusterFeed feed = new ClusterFeed(node, streams, meters);
    List<Route> routes = new ArrayList<>();
    routes.addAll(new EntityRoutes(node, caches).routes());
    routes.add(new RangeRoute(node, caches).route());
    routes.addAll(new EntryRoutes(caches).routes());
    routes.add(new CacheListRoute(node).route());
    routes.add(new ExportRoute(node, caches, streams).route());
    routes.add(new LoadRoute(node, caches).route());
    routes.add(new ChangesRoute(node, caches, streams).route());
    routes.add(new AggregateRoute(node, caches, streams).route());
    routes.addAll(new ClusterRoutes(node, streams, ready).routes());
    routes.add(feed.route());
    routes.add(meters.route());
    routes.addAll(ConsolePages.routes());
    return new HttpRoutes(
        new Router(routes),
        meters,
        streams,
        () -> {
          removals.close();
          feed.close();
          meters.close();
        });
  }

  /** Ends what the routes began. */
  void close() {
    end.run();
  }
}
