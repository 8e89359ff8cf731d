package dev.headrace.http.server;

import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/**
 * Encodes replies. Those to {@code HEAD} say so themselves: Netty's own codec for servers keeps the
 * methods of all requests that it has decoded, and breaks a connection off on which many of them
 * came at once.
 */
final class ReplyEncoder extends HttpResponseEncoder {

  /** A reply to {@code HEAD}: whatever its headers say of a body, none follows. */
  static final class HeadersOnly extends DefaultFullHttpResponse {

    HeadersOnly(HttpResponseStatus status) {
      super(HttpVersion.HTTP_1_1, status);
    }
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpResponse reply) {
    return reply instanceof HeadersOnly || super.isContentAlwaysEmpty(reply);
  }
}
