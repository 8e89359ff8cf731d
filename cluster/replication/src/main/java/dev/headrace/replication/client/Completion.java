package dev.headrace.replication.client;

import dev.headrace.replication.message.OperationReply;

/**
 * Hears of an operation's end. Exactly one of {@link #done} and {@link #failed} is called, once, on
 * any thread, perhaps before {@link OperationClient#submit} returns; it must be short, must not
 * block and must not throw.
 */
public interface Completion {
  /** Of an operation whose end is of no interest. */
  Completion IGNORED =
      new Completion() {
        @Override
        public void done(OperationReply reply) {}

        @Override
        public void failed(OperationFault fault) {}
      };

  /** It was carried out; the reply's outcome is {@link OperationReply.Outcome#DONE}. */
  void done(OperationReply reply);

  /**
   * It is sent again, since its owners have changed or have not answered; any number of times
   * before it ends, on any thread.
   */
  default void resent() {}

  /** It has no result. */
  void failed(OperationFault fault);
}
