package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinTimeoutException;
import dev.headrace.cluster.membership.discovery.NodeEntry;
import dev.headrace.cluster.membership.discovery.NodeFolder;
import dev.headrace.cluster.node.RecordedLog;
import dev.headrace.stream.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * When a node that finds others founds a cluster of its own: as soon as they are gone, not before.
 */
@Timeout(240)
final class NewcomerTest {
  /** Of newcomers the one with the least identity, as signed numbers, founds the cluster. */
  private static final NodeId GREATEST = new NodeId(Long.MAX_VALUE, -1);

  private static final NodeId LEAST = new NodeId(Long.MIN_VALUE, 0);

  @TempDir private Path folder;

  @Test
  void noClusterIsFoundedBesideMembersWithoutACoordinator() throws IOException {
    try (Silent member = new Silent(GREATEST, NodeEntry.Role.MEMBER);
        Node newcomer =
            new Node(Node.settings(folder).joinTimeout(Duration.ofSeconds(2)).build())) {
      assertThatThrownBy(newcomer::start)
          .isInstanceOf(JoinTimeoutException.class)
          .hasMessageContaining("no member admitted it");
      assertThat(newcomer.view()).isEmpty();
      member.awaitKnock();
    }
  }

  @Test
  void whoWaitsForMembersThatVanishFoundsACluster() throws Exception {
    assertFoundsWhenGone(new Silent(GREATEST, NodeEntry.Role.MEMBER));
  }

  @Test
  void whoAsksACoordinatorThatVanishesFoundsACluster() throws Exception {
    assertFoundsWhenGone(new Silent(GREATEST, NodeEntry.Role.COORDINATOR));
  }

  @Test
  void aNewcomerWithALowerIdentityGoesFirstAsLongAsItIsThere() throws Exception {
    assertFoundsWhenGone(new Silent(LEAST, NodeEntry.Role.NEWCOMER));
  }

  @Test
  void aNewcomerWithAGreaterIdentityIsNotWaitedFor() throws IOException {
    try (Silent other = new Silent(GREATEST, NodeEntry.Role.NEWCOMER);
        Node newcomer = Node.started(folder)) {
      assertThat(newcomer.view()).containsExactly(newcomer.id());
      other.awaitKnock();
    }
  }

  @Test
  void whoGetsNoAnswerAsksOverANewConnection() throws Exception {
    try (Silent coordinator = new Silent(GREATEST, NodeEntry.Role.COORDINATOR);
        RecordedLog log = RecordedLog.of(Group.class);
        Node newcomer = new Node(Node.settings(folder).build())) {
      CompletableFuture<Void> start =
          CompletableFuture.runAsync(newcomer::start, task -> new Thread(task).start());
      try (Socket first = coordinator.awaitRequest();
          Socket second = coordinator.awaitRequest()) {
        assertThat(second.getPort()).isNotEqualTo(first.getPort());
        first.getInputStream().readAllBytes(); // returns, as the newcomer has closed it
      }
      assertThat(log.warnings())
          .filteredOn(text -> text.contains("asked 3 times to join its cluster"))
          .hasSize(1);
      newcomer.membership().kill();
      assertThatThrownBy(start::join).hasCauseInstanceOf(HeadraceException.class);
    }
  }

  private void assertFoundsWhenGone(Silent other) throws Exception {
    try (other;
        Node newcomer = new Node(Node.settings(folder).build())) {
      CompletableFuture<Void> start =
          CompletableFuture.runAsync(newcomer::start, task -> new Thread(task).start());
      other.awaitKnock();
      other.awaitKnock(); // it has looked, and looks again
      assertThat(newcomer.view()).isEmpty();
      other.close();
      start.get(Node.LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(newcomer.view()).containsExactly(newcomer.id());
    }
  }

  /** Somebody who lives by what its file says, but answers nothing. */
  private final class Silent implements AutoCloseable {
    private final ServerSocket socket;

    Silent(NodeId id, NodeEntry.Role role) throws IOException {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      InetSocketAddress address = (InetSocketAddress) socket.getLocalSocketAddress();
      NodeFolder.of(folder.toString(), "headrace").write(new NodeEntry(id, address, role));
    }

    /** Waits until somebody connects to see whether it lives. */
    void awaitKnock() throws IOException {
      socket.setSoTimeout((int) Node.LIMIT.toMillis());
      socket.accept().close();
    }

    /** Waits for a connection over which something is said. */
    Socket awaitRequest() throws IOException {
      socket.setSoTimeout((int) Node.LIMIT.toMillis());
      while (true) {
        Socket accepted = socket.accept();
        accepted.setSoTimeout((int) Node.LIMIT.toMillis());
        if (accepted.getInputStream().read() >= 0) {
          return accepted;
        }
        accepted.close(); // somebody has looked whether anybody is there
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
