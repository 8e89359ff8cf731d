package dev.headrace.cluster.membership.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.membership.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.UUID;
import org.jgroups.util.Util;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of frames for a peer that is slow, or cannot be reached. */
@Timeout(180)
final class PeerSenderTest {
  private static final Address PEER = new IpAddress(InetAddress.getLoopbackAddress(), 1);

  private final List<Byte> written = new ArrayList<>(); // guarded by itself
  private final CountDownLatch free = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final PeerSender sender = new PeerSender(PEER, this::write, one -> ended.countDown());

  @Test
  void framesLeaveInOrder() throws Exception {
    start();
    free.countDown();
    for (byte frame = 0; frame < 100; frame++) {
      assertThat(send(frame)).isTrue();
    }
    assertThat(sender.awaitWritten(deadlineNanos())).isTrue();
    synchronized (written) {
      assertThat(written).hasSize(100).isSorted();
    }
  }

  @Test
  void aFrameThatCannotBeSentCostsNoOther() throws Exception {
    start();
    free.countDown();
    for (byte frame = -1; frame < 3; frame++) {
      send(frame);
    }
    assertThat(sender.awaitWritten(deadlineNanos())).isTrue();
    synchronized (written) {
      assertThat(written).containsExactly((byte) 0, (byte) 1, (byte) 2);
    }
  }

  @Test
  void whatDoesNotFitIsDropped() throws Exception {
    byte[] half = new byte[PeerSender.MAX_QUEUED_BYTES / 2 + 1];
    assertThat(sender.send(half, 0, half.length)).isTrue();
    assertThat(sender.send(half, 0, half.length)).isTrue();
    start();
    free.countDown();
    assertThat(sender.awaitWritten(deadlineNanos())).isTrue();
    synchronized (written) {
      assertThat(written).hasSize(1);
    }
  }

  @Test
  void whatIsSaidAgainAndAgainLeavesBeforeWhatWaits() throws Exception {
    sender.send(new byte[8 << 20], 0, 8 << 20);
    sendMessage((byte) 1);
    sendMessage((byte) 2, Message.Flag.NO_RELIABILITY);
    sendMessage((byte) 3, Message.Flag.OOB);
    sendMessage((byte) 4, Message.Flag.NO_RELIABILITY);
    start();
    free.countDown();
    assertThat(sender.awaitWritten(deadlineNanos())).isTrue();
    synchronized (written) {
      assertThat(written).containsExactly((byte) 2, (byte) 3, (byte) 4, (byte) 0, (byte) 1);
    }
  }

  @Test
  void theNewestOfWhatIsSaidAgainAndAgainReplacesTheOldestAndFindsRoomWhereNothingElseDoes()
      throws Exception {
    byte[] half = new byte[PeerSender.MAX_QUEUED_BYTES / 2];
    sender.send(half, 0, half.length);
    sender.send(half, 0, half.length);
    for (byte number = 1; number <= PeerSender.MAX_FIRST + 3; number++) {
      sendMessage(number, Message.Flag.NO_RELIABILITY);
    }
    sendMessage((byte) 100); // has no room
    start();
    free.countDown();
    assertThat(sender.awaitWritten(deadlineNanos())).isTrue();
    synchronized (written) {
      assertThat(written).hasSize(PeerSender.MAX_FIRST + 2).doesNotContain((byte) 100);
      assertThat(written.subList(0, PeerSender.MAX_FIRST))
          .startsWith((byte) 4)
          .isSorted()
          .endsWith((byte) (PeerSender.MAX_FIRST + 3));
    }
  }

  @Test
  void nothingIsTakenAfterTheEnd() throws Exception {
    start();
    send((byte) 1);
    sender.close();
    assertThat(send((byte) 2)).isFalse();
    free.countDown();
    ended.await();
    synchronized (written) {
      assertThat(written).doesNotContain((byte) 2);
    }
  }

  @Test
  void aSenderThatIsStuckIsNotWaitedForLongerThanSaid() throws Exception {
    start();
    send((byte) 1);
    assertThat(sender.awaitWritten(System.nanoTime())).isFalse();
    free.countDown();
    assertThat(sender.awaitWritten(deadlineNanos())).isTrue();
  }

  private void start() {
    Thread thread = new Thread(sender::run, "sender");
    thread.setDaemon(true);
    thread.start();
  }

  private boolean send(byte frame) {
    return sender.send(new byte[] {9, frame}, 1, 1);
  }

  /** A frame as JGroups makes them, with a number where the fake connection reads it. */
  private void sendMessage(byte number, Message.Flag... flags) throws Exception {
    Message message = new BytesMessage(UUID.randomUUID(), new byte[10]).setFlag(flags);
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    Util.writeMessage(message, out, false);
    byte[] frame = Arrays.copyOf(out.buffer(), out.position());
    frame[0] = number;
    sender.send(frame, 0, frame.length);
  }

  /** Negative frames cannot be written. */
  private void write(Address peer, byte[] bytes) throws Exception {
    free.await();
    if (bytes[0] < 0) {
      throw new IOException("refused");
    }
    synchronized (written) {
      written.add(bytes[0]);
    }
  }

  private static long deadlineNanos() {
    return System.nanoTime() + Node.LIMIT.toNanos();
  }
}
