package dev.headrace.http.exchange;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is sent for a request. A reply is changed only by whoever makes it. */
public final class HttpReply {
  private static final byte[] NOTHING = {};

  private final int status;
  private final @Nullable String reason;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private byte[] body = NOTHING;
  private @Nullable StreamedBody streamed;
  private boolean isStreamed;

  private HttpReply(int status, @Nullable String reason) {
    this.status = status;
    this.reason = reason;
  }

  /** A reply without a body. */
  public static HttpReply of(int status) {
    return new HttpReply(status, null);
  }

  /** A reply whose status has a text of its own. */
  public static HttpReply of(int status, String reason) {
    return new HttpReply(status, reason);
  }

  /** A reply with a body of some media type, which is sent as it is. */
  public static HttpReply of(int status, String mediaType, byte[] body) {
    HttpReply reply = new HttpReply(status, null).with("content-type", mediaType);
    reply.body = body;
    return reply;
  }

  /** A reply of text as UTF-8. */
  public static HttpReply text(int status, String mediaType, String text) {
    return of(status, mediaType, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A reply whose body is made while it is sent. */
  public static HttpReply streamed(int status, String mediaType, StreamedBody body) {
    HttpReply reply = new HttpReply(status, null).with("content-type", mediaType);
    reply.streamed = body;
    reply.isStreamed = true;
    return reply;
  }

  /** What answers {@code HEAD} where a {@code GET} gets a body that is made while it is sent. */
  public static HttpReply headersOfStreamed(int status, String mediaType) {
    HttpReply reply = new HttpReply(status, null).with("content-type", mediaType);
    reply.isStreamed = true;
    return reply;
  }

  /** Adds a header. */
  public HttpReply with(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** The status of HTTP. */
  public int status() {
    return status;
  }

  /** The text of the status; null for the usual one. */
  public @Nullable String reason() {
    return reason;
  }

  /** The headers, without those of the transfer; names are in small letters. */
  public Map<String, String> headers() {
    return headers;
  }

  /** The body if it is known as a whole; else empty. */
  public byte[] body() {
    return body;
  }

  /** Whether a body that belongs to the headers is made while it is sent. */
  public boolean isStreamed() {
    return isStreamed;
  }

  /** The body if it is made while it is sent; else null. */
  public @Nullable StreamedBody streamed() {
    return streamed;
  }
}
