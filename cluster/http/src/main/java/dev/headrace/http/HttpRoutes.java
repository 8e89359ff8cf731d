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
import dev.headrace.http.server.PortListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All routes of a node, and what they share.
 *
 * @param router the routes
 * @param listener keeps figures
 * @param end ends what the routes began
 */
record HttpRoutes(Router router, PortListener listener, Runnable end) {

  /** The routes of a node. */
  static HttpRoutes of(HeadraceNode node, HttpSettings settings) {
    OpenCaches caches = new OpenCaches(node);
    List<Route> routes = new ArrayList<>();
    routes.addAll(new EntityRoutes(node, caches).routes());
    routes.add(new RangeRoute(node, caches).route());
    routes.addAll(new EntryRoutes(caches).routes());
    routes.add(new CacheListRoute(node).route());
    return new HttpRoutes(new Router(routes), new Silent(), () -> {});
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
