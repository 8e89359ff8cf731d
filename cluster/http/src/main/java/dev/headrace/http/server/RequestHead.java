package dev.headrace.http.server;

import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.Verb;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is checked of a request line and its headers, whatever they ask for. */
final class RequestHead {
  private RequestHead() {}

  /**
   * Checks that a request is one of HTTP/1.
   *
   * @throws ProblemException if it is none
   */
  static void checkSyntax(HttpRequest head) {
    DecoderResult result = head.decoderResult();
    if (result.isFailure()) {
      throw syntaxProblem(result.cause());
    }
    HttpVersion version = head.protocolVersion();
    if (version.majorVersion() != 1) {
      throw new ProblemException(505, "This node speaks HTTP/1.1");
    }
    int hosts = head.headers().getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && version.minorVersion() >= 1)) {
      throw new ProblemException(400, "A request of HTTP/1.1 has one Host header");
    }
    if (!head.uri().startsWith("/")) {
      throw new ProblemException(400, "The target of a request is a path, which begins with /");
    }
  }

  /** Why a request or a part of its body could not be read. */
  static ProblemException syntaxProblem(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return new ProblemException(
          414,
          "A request line may have "
              + PortLimits.LINE_BYTES
              + " bytes; use a shorter URL, and send a token to resume from in the header"
              + " Headrace-Resume");
    } else if (cause instanceof TooLongHttpHeaderException) {
      return new ProblemException(
          431,
          "The headers of a request may have " + PortLimits.HEADER_BYTES + " bytes; send fewer");
    }
    return new ProblemException(400, "This is not a request of HTTP/1.1", cause);
  }

  /**
   * Checks that a body is what it says, and all of it: no route unpacks one, or takes a part.
   *
   * @throws ProblemException 400 or 415 if it is not
   */
  static void checkBody(Verb verb, HttpHeaders headers) {
    if (verb != Verb.PUT && verb != Verb.POST) {
      return; // nobody looks at the body
    }
    if (headers.contains(HttpHeaderNames.CONTENT_RANGE)) {
      throw new ProblemException(400, "Send the body as a whole, without a Content-Range");
    }
    for (String coding : headers.getAll(HttpHeaderNames.CONTENT_ENCODING)) {
      if (!coding.isBlank() && !coding.strip().equalsIgnoreCase("identity")) {
        throw new ProblemException(415, "Send the body as it is, without a Content-Encoding")
            .with("accept-encoding", "identity");
      }
    }
  }

  /**
   * Whether the client waits for a word before it sends its body.
   *
   * @throws ProblemException 417 if it waits for something else
   */
  static boolean expectsContinue(HttpHeaders headers) {
    String expected = headers.get(HttpHeaderNames.EXPECT);
    if (expected == null) {
      return false;
    }
    if (!expected.equalsIgnoreCase("100-continue")) {
      throw new ProblemException(417, "This node knows the expectation 100-continue only");
    }
    return true;
  }

  /** The value of a header; several of one name are joined. */
  static @Nullable String header(HttpHeaders headers, String name) {
    List<String> values = headers.getAll(name);
    return values.isEmpty() ? null : values.size() == 1 ? values.get(0) : String.join(", ", values);
  }

  /** Whether the client has shown a certificate, which TLS has checked. */
  static boolean isCertified(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    if (tls == null) {
      return false;
    }
    try {
      return tls.engine().getSession().getPeerCertificates().length > 0;
    } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
      return false; // it has shown none
    }
  }
}
