package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends requests to the instances of an application in turn, but only to those whose readiness
 * probe said at its last reply that they are ready. Repeats no request. Thread-safe.
 */
final class LoadBalancer implements AutoCloseable {
  private static final Duration HUNG = Duration.ofMinutes(1);
  private static final long PROBE_MILLIS = 20;

  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService probes;
  private final List<Backend> backends = new ArrayList<>(); // guarded by this
  private int turn; // guarded by this

  /** An instance at an address. Its fields are guarded by the load balancer. */
  static final class Backend {
    private final URI address;
    private boolean inService;
    private int inFlight;

    private Backend(URI address) {
      this.address = address;
    }
  }

  /** A load balancer that probes up to so many instances at the same time. */
  LoadBalancer(int instances) {
    probes = Executors.newScheduledThreadPool(instances);
  }

  /** Takes a port of this machine in as soon as it is ready. */
  Backend add(int port) {
    Backend backend = new Backend(URI.create("http://127.0.0.1:" + port));
    synchronized (this) {
      backends.add(backend);
    }
    probes.execute(() -> probe(backend));
    return backend;
  }

  /** Forgets an instance. */
  synchronized void remove(Backend backend) {
    backends.remove(backend);
  }

  private void probe(Backend backend) {
    boolean ready = isReady(backend);
    synchronized (this) {
      backend.inService = ready && backends.contains(backend);
      notifyAll();
      if (backends.contains(backend) && !probes.isShutdown()) {
        var unused = probes.schedule(() -> probe(backend), PROBE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private boolean isReady(Backend backend) {
    HttpRequest readiness =
        HttpRequest.newBuilder(backend.address.resolve("/actuator/health/readiness"))
            .timeout(HUNG)
            .build();
    try {
      return http.send(readiness, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Waits until an instance gets requests. */
  void awaitInService(Backend backend) throws InterruptedException {
    await("in service", () -> backend.inService);
  }

  /** Waits until an instance gets no more requests and has answered all that it got. */
  void awaitDrained(Backend backend) throws InterruptedException {
    await("drained", () -> !backend.inService && backend.inFlight == 0);
  }

  private synchronized void await(String what, BooleanSupplier condition)
      throws InterruptedException {
    long deadlineNanos = System.nanoTime() + HUNG.toNanos();
    while (!condition.getAsBoolean()) {
      long remainingNanos = deadlineNanos - System.nanoTime();
      assertThat(remainingNanos).as("not %s yet", what).isPositive();
      TimeUnit.NANOSECONDS.timedWait(this, remainingNanos);
    }
  }

  /** Gets a path from the next instance. */
  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path);
  }

  /** Puts nothing to a path of the next instance. */
  HttpResponse<String> put(String path) throws IOException, InterruptedException {
    return send("PUT", path);
  }

  private HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    Backend backend = take();
    try {
      return http.send(
          HttpRequest.newBuilder(backend.address.resolve(path))
              .method(method, BodyPublishers.noBody())
              .timeout(HUNG)
              .build(),
          BodyHandlers.ofString());
    } finally {
      release(backend);
    }
  }

  private synchronized Backend take() throws InterruptedException {
    await("anything in service", () -> backends.stream().anyMatch(backend -> backend.inService));
    Backend next;
    do {
      turn = (turn + 1) % backends.size();
      next = backends.get(turn);
    } while (!next.inService);
    next.inFlight++;
    return next;
  }

  private synchronized void release(Backend backend) {
    backend.inFlight--;
    notifyAll();
  }

  @Override
  public void close() {
    probes.shutdownNow();
  }
}
