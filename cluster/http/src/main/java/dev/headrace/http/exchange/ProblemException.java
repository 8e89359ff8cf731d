package dev.headrace.http.exchange;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why a request was not answered as asked, as a client is told: a status, and a sentence that says
 * what to do.
 */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient Map<String, String> headers = new LinkedHashMap<>();
  private final transient Map<String, String> members = new LinkedHashMap<>();

  /**
   * A problem.
   *
   * @param status of HTTP, 400 to 599
   * @param detail what happened and what to do
   */
  public ProblemException(int status, String detail) {
    super(detail, null, false, false);
    this.status = status;
  }

  /**
   * A problem.
   *
   * @param status of HTTP, 400 to 599
   * @param detail what happened and what to do
   * @param cause what led to it; a client is not told
   */
  public ProblemException(int status, String detail, Throwable cause) {
    super(detail, cause, false, false);
    this.status = status;
  }

  /** The same with a header of the reply. */
  public ProblemException with(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** The same with a member of the problem's JSON object, a text. */
  public ProblemException member(String name, String value) {
    StringBuilder json = new StringBuilder("\"");
    JsonStringEncoder.getInstance().quoteAsString(value, json);
    members.put(name, json.append('"').toString());
    return this;
  }

  /** The same with a member of the problem's JSON object, a number. */
  public ProblemException member(String name, long value) {
    members.put(name, Long.toString(value));
    return this;
  }

  /**
   * The same with a member of the problem's JSON object.
   *
   * @param json a JSON value
   */
  public ProblemException memberJson(String name, String json) {
    members.put(name, json);
    return this;
  }

  /** The status of HTTP. */
  public int status() {
    return status;
  }

  /** Further members of the problem's object, as JSON by their names. */
  Map<String, String> members() {
    return members;
  }

  /** Headers of the reply. */
  Map<String, String> headers() {
    return headers;
  }
}
