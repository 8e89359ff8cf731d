package dev.headrace.http.server;

import dev.headrace.http.exchange.BodyIntake;
import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Problems;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Hands the body of one request to an intake, piece by piece as it asks for them. For the event
 * loop; what the intake calls may come from any thread.
 */
final class IntakeFeed {
  private final ChannelHandlerContext ctx;
  private final BodyIntake intake;
  private final Connection connection;
  private boolean bodyEnded;
  private boolean over;

  /** Where the body comes from and the reply goes to. */
  interface Connection {

    /** The next part of the body is wanted. */
    void readOn();

    /**
     * The reply is known.
     *
     * @param bodyEnded whether the body has come to its end, so that another request may follow
     */
    void reply(HttpReply reply, boolean bodyEnded);
  }

  IntakeFeed(ChannelHandlerContext ctx, BodyIntake intake, Connection connection) {
    this.ctx = ctx;
    this.intake = intake;
    this.connection = connection;
  }

  /** Lets the intake begin. */
  void begin() {
    var unused =
        intake
            .reply()
            .whenComplete(
                (reply, failure) ->
                    HttpConnection.onLoop(
                        ctx, () -> replied(failure == null ? reply : Problems.reply(failure))));
    intake.begin(() -> HttpConnection.onLoop(ctx, this::wanted));
  }

  private void replied(HttpReply reply) {
    if (!over) {
      over = true;
      connection.reply(reply, bodyEnded);
    }
  }

  private void wanted() {
    if (over) {
      return;
    }
    if (bodyEnded) {
      intake.end();
    } else {
      connection.readOn();
    }
  }

  /** Hands over a part of the body, which was read since it is wanted. */
  void add(HttpContent content) {
    bodyEnded = content instanceof LastHttpContent;
    byte[] piece = new byte[content.content().readableBytes()];
    content.content().readBytes(piece);
    if (piece.length > 0) {
      intake.piece(piece);
    } else {
      wanted();
    }
  }

  /** The rest of the body does not come. */
  void cancel() {
    if (!over) {
      over = true;
      intake.cancelled();
    }
  }
}
