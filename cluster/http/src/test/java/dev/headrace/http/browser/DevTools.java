package dev.headrace.http.browser;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Commands to a browser and its events, over the JDK's WebSocket. */
final class DevTools implements WebSocket.Listener, AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Map<Integer, CompletableFuture<Map<String, Object>>> asked =
      new ConcurrentHashMap<>();
  private final List<Map<String, Object>> events = new CopyOnWriteArrayList<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final StringBuilder part = new StringBuilder(); // of the socket's calls, one at a time
  private final WebSocket socket;

  DevTools(URI uri) {
    socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(uri, this).join();
  }

  /**
   * Sends a command and waits for its result.
   *
   * @param session the page's; null for the browser itself
   * @param parameters a JSON object
   * @throws IllegalStateException if the browser refuses
   */
  Map<String, Object> call(@Nullable String session, String method, String parameters) {
    int number = numbers.incrementAndGet();
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    asked.put(number, answer);
    String to = session == null ? "" : ",\"sessionId\":\"" + session + '"';
    socket
        .sendText(
            "{\"id\":%d%s,\"method\":\"%s\",\"params\":%s}"
                .formatted(number, to, method, parameters),
            true)
        .join();
    Map<String, Object> message = answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    if (message.containsKey("error")) {
      throw new IllegalStateException(method + ": " + message.get("error"));
    }
    return JsonTree.object(message, "result");
  }

  /** The events of a page so far, those of one method. */
  List<Map<String, Object>> events(String session, String method) {
    List<Map<String, Object>> found = new ArrayList<>();
    for (Map<String, Object> event : events) {
      if (session.equals(event.get("sessionId")) && method.equals(event.get("method"))) {
        found.add(JsonTree.object(event, "params"));
      }
    }
    return found;
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    part.append(data);
    if (last) {
      Map<String, Object> message = JsonTree.object(part.toString());
      part.setLength(0);
      if (message.get("id") instanceof Double number) {
        CompletableFuture<Map<String, Object>> answer = asked.remove(number.intValue());
        if (answer != null) {
          answer.complete(message);
        }
      } else {
        events.add(message);
      }
    }
    from.request(1);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void onError(WebSocket from, Throwable failure) {
    asked.values().forEach(each -> each.completeExceptionally(failure));
  }

  @Override
  public void close() {
    socket.abort();
  }
}
