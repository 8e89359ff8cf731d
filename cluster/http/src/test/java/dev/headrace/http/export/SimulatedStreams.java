package dev.headrace.http.export;

import dev.headrace.http.exchange.HttpReply;

/** Streams that tell figures without reading anything. */
public final class SimulatedStreams {
  private SimulatedStreams() {}

  /** Shows a stream that has read the first segments, from some nodes. */
  public static void show(ActiveStreams streams, String cache, int segments, String... nodes) {
    var unused =
        streams.serve(
            cache,
            segments,
            place -> {
              begin(place.figures(), nodes);
              return HttpReply.of(200);
            });
  }

  private static void begin(StreamFigures figures, String... nodes) {
    for (int segment = 0; segment < figures.segments() / 3; segment++) {
      figures.completed(segment);
    }
    go(figures, nodes);
  }

  /** Lets all streams go on. */
  public static void go(ActiveStreams streams) {
    for (StreamFigures figures : streams.all()) {
      int next = figures.completed();
      if (next < figures.segments()) {
        figures.completed(next);
      }
      go(figures, figures.received().keySet().toArray(new String[0]));
    }
  }

  private static void go(StreamFigures figures, String... nodes) {
    figures.credited(1_024, 28_000);
    figures.sent(9_000 * nodes.length);
    for (int i = 0; i < nodes.length; i++) {
      figures.batch(nodes[i], 9_000 - 700L * i);
    }
    for (int i = 0; i < 300; i++) {
      figures.entry();
    }
  }
}
