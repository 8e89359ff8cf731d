package dev.headrace.cluster.message;

import dev.headrace.stream.Message;
import java.util.List;

/**
 * Several messages in one frame: what a node has to tell another one at one moment. Whoever gets it
 * handles the messages in their order, as if each had come alone.
 *
 * <p>All of them take one connection, so that a group overtakes nothing that it should not.
 *
 * @param messages not empty, and none is a group itself; not to be changed afterwards
 */
public record MessageGroup(List<Message> messages) implements NodeMessage {
  /** The most messages of a group. */
  public static final int MAX_MESSAGES = 1024;

  /** Checks that there are messages, and no groups in the group. */
  public MessageGroup {
    if (messages.isEmpty() || messages.size() > MAX_MESSAGES) {
      throw new IllegalArgumentException(
          "a group has 1 to %d messages, not %d".formatted(MAX_MESSAGES, messages.size()));
    }
    for (Message message : messages) {
      if (message instanceof MessageGroup) {
        throw new IllegalArgumentException("a group of messages is in another group");
      }
    }
  }

  /** That of the first message: the sender has chosen a connection that all of them may take. */
  @Override
  public int share() {
    return messages.get(0).share();
  }
}
