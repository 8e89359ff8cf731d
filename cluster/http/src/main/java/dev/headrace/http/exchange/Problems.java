package dev.headrace.http.exchange;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.MemoryFullException;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.TooManyCachesException;
import dev.headrace.api.error.TooManyGroupsException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns failures into replies of {@code application/problem+json}, RFC 9457. */
public final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);
  private static final String MEDIA_TYPE = "application/problem+json";

  private static final Map<Integer, String> TITLES =
      Map.ofEntries(
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(406, "Not Acceptable"),
          Map.entry(408, "Request Timeout"),
          Map.entry(409, "Conflict"),
          Map.entry(412, "Precondition Failed"),
          Map.entry(413, "Content Too Large"),
          Map.entry(414, "URI Too Long"),
          Map.entry(415, "Unsupported Media Type"),
          Map.entry(417, "Expectation Failed"),
          Map.entry(421, "Misdirected Request"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(431, "Request Header Fields Too Large"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(501, "Not Implemented"),
          Map.entry(503, "Service Unavailable"),
          Map.entry(504, "Gateway Timeout"),
          Map.entry(505, "HTTP Version Not Supported"),
          Map.entry(507, "Insufficient Storage"));

  private Problems() {}

  /** The reply for whatever a route has thrown or its stage has ended with. */
  public static HttpReply reply(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof ProblemException problem) {
      StringBuilder more = new StringBuilder();
      problem
          .members()
          .forEach((name, json) -> more.append(",\"").append(name).append("\":").append(json));
      HttpReply reply =
          reply(problem.status(), String.valueOf(problem.getMessage()), more.toString());
      problem.headers().forEach(reply::with);
      return reply;
    } else if (cause instanceof HeadraceException fault) {
      return reply(fault);
    }
    LOG.error("A request failed", cause);
    return reply(500, "The node could not answer; its log tells why", "");
  }

  private static HttpReply reply(HeadraceException fault) {
    StringBuilder more = new StringBuilder();
    more.append(",\"retryable\":").append(fault.isRetryable());
    if (!fault.segments().isEmpty()) {
      more.append(",\"segments\":").append(fault.segments());
    }
    HttpReply reply = reply(status(fault), String.valueOf(fault.getMessage()), more.toString());
    return fault.isRetryable() ? reply.with("retry-after", "1") : reply;
  }

  /** The status of HTTP for a failure of the cluster. */
  public static int status(HeadraceException fault) {
    if (fault instanceof CodecException) {
      return 409;
    } else if (fault instanceof EntryTooLargeException) {
      return 413;
    } else if (fault instanceof ResumeTokenException || fault instanceof TooManyGroupsException) {
      return 400;
    } else if (fault instanceof MemoryFullException || fault instanceof TooManyCachesException) {
      return 507;
    } else if (fault instanceof OutcomeUnknownException) {
      return 504;
    }
    return 503;
  }

  private static HttpReply reply(int status, String detail, String more) {
    return HttpReply.of(
            status, MEDIA_TYPE, json(status, detail, more).getBytes(StandardCharsets.UTF_8))
        .with("cache-control", "no-store");
  }

  /** A problem as a JSON object. */
  public static String json(int status, String detail) {
    return json(status, detail, "");
  }

  private static String json(int status, String detail, String more) {
    StringBuilder json = new StringBuilder("{\"type\":\"about:blank\",\"title\":\"");
    JsonStringEncoder encoder = JsonStringEncoder.getInstance();
    encoder.quoteAsString(TITLES.getOrDefault(status, "Error"), json);
    json.append("\",\"status\":").append(status).append(",\"detail\":\"");
    encoder.quoteAsString(detail, json);
    return json.append('"').append(more).append('}').toString();
  }
}
