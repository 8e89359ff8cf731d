package dev.headrace.replication.client;

import dev.headrace.api.error.FaultScope;
import dev.headrace.replication.message.OperationReply;
import java.util.concurrent.atomic.AtomicInteger;

/** Remembers how an operation ended. */
final class Ending implements Completion {
  final AtomicInteger calls = new AtomicInteger();
  OperationReply reply;
  Failure failure;
  String message;
  FaultScope scope;

  @Override
  public void done(OperationReply reply) {
    this.reply = reply;
    calls.incrementAndGet();
  }

  @Override
  public void failed(OperationFault fault) {
    failure = fault.failure();
    message = fault.message();
    scope = fault.scope();
    calls.incrementAndGet();
  }
}
