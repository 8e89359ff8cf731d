package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.jgroups.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What somebody who is no node can do at a membership port. */
@Timeout(120)
final class StrangerTest {
  @TempDir private Path folder;

  @Test
  void noClassIsLoadedBecauseAStrangerNamesIt() throws IOException {
    byte[] object =
        Stranger.message(
            Message.OBJ_MSG,
            0,
            out -> {
              out.writeByte(1);
              out.writeShort(-1);
              out.writeUTF(MarkerObject.class.getName());
            });
    try (Node first = Node.started(folder);
        Stranger stranger = new Stranger(first.membership().port())) {
      stranger.send(object.length, object);
      stranger.awaitEnd();
      assertThat(System.getProperty(MarkerObject.TRACE)).isNull();
      try (Node second = Node.started(folder)) {
        first.awaitView(first, second);
      }
    }
  }

  @Test
  void aStrangerThatClaimsAnEndlessMessageIsSentAway() throws IOException {
    byte[] claim = Stranger.message(Message.BYTES_MSG, 0, out -> out.writeInt(1 << 30));
    try (Node first = Node.started(folder);
        Stranger stranger = new Stranger(first.membership().port())) {
      stranger.send(claim.length, claim);
      stranger.awaitEnd();
      first.awaitView(first);
    }
  }
}
