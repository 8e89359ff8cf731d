package dev.headrace.replication.client;

import dev.headrace.replication.message.OperationReply;
import java.util.concurrent.atomic.AtomicInteger;

/** Remembers how an operation ended. */
final class Ending implements Completion {
  final AtomicInteger calls = new AtomicInteger();
  OperationReply reply;
  Failure failure;
  String message;

  @Override
  public void done(OperationReply reply) {
    this.reply = reply;
    calls.incrementAndGet();
  }

  @Override
  public void failed(Failure failure, String message) {
    this.failure = failure;
    this.message = message;
    calls.incrementAndGet();
  }
}
