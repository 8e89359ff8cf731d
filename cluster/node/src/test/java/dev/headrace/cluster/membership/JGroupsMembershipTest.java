package dev.headrace.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JGroupsMembershipTest {

  @TempDir private Path folder;

  @Test
  void threeNodesSeeEachOtherInTheOrderInWhichTheyJoined() {
    try (Node first = Node.started(folder);
        Node second = Node.started(folder);
        Node third = Node.started(folder)) {
      for (Node node : List.of(first, second, third)) {
        node.awaitView(first, second, third);
      }
      assertThat(List.of(first.mark(), second.mark())).containsOnly(third.mark());
    }
  }

  @Test
  void eachViewHasAMarkOfItsOwn() {
    try (Node first = Node.started(folder)) {
      long alone = first.mark();
      try (Node second = Node.started(folder)) {
        first.awaitView(first, second);
        assertThat(first.mark()).isNotEqualTo(alone).isEqualTo(second.mark());
      }
      first.awaitView(first);
      assertThat(first.mark()).isNotEqualTo(alone);
    }
  }

  @Test
  void theFirstViewHasBeenDeliveredWhenStartReturns() {
    try (Node first = Node.started(folder);
        Node second = Node.started(folder)) {
      assertThat(first.view()).startsWith(first.id());
      assertThat(second.view()).containsExactly(first.id(), second.id());
    }
  }

  @Test
  void nodesOfAnotherClusterInTheSameFolderAreStrangers() {
    try (Node ours = Node.started(folder);
        Node theirs = Node.started(Node.settings(folder).clusterName("../other").build())) {
      assertThat(theirs.view()).containsExactly(theirs.id());
      ours.awaitView(ours);
    }
  }

  @Test
  void aKilledNodeIsSoonOutOfTheView() {
    try (Node first = Node.started(folder);
        Node second = Node.started(folder);
        Node third = Node.started(folder)) {
      first.awaitView(first, second, third);
      second.membership().kill();
      first.awaitView(Node.LIMIT, first, third);
      third.awaitView(Node.LIMIT, first, third);
    }
  }

  @Test
  void aKilledCoordinatorIsSucceededByTheNextOldest() {
    try (Node first = Node.started(folder);
        Node second = Node.started(folder);
        Node third = Node.started(folder)) {
      third.awaitView(first, second, third);
      second.awaitView(first, second, third);
      first.membership().kill();
      second.awaitView(Node.LIMIT, second, third);
      third.awaitView(Node.LIMIT, second, third);
    }
  }

  @Test
  void whoHasLeftHasNoThreadThatKeepsItsProcess() {
    String name = "left-" + UUID.randomUUID();
    try (Node first = Node.started(Node.settings(folder).nodeName(name).build());
        Node second = Node.started(Node.settings(folder).nodeName(name + "-too").build())) {
      first.awaitView(first, second);
    }
    new Await()
        .until(
            "no thread sends any more", // an idle one would end after 30 s
            Duration.ofSeconds(20),
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> !thread.isDaemon() && thread.getName().contains(name)));
  }

  @Test
  void whoLeavesInOrderIsGoneWithoutASuspicion() {
    try (Node first = Node.started(folder);
        Node second = Node.started(folder);
        Node third = Node.started(folder)) {
      third.awaitView(first, second, third);
      second.awaitView(first, second, third);
      first.close();
      second.awaitView(Node.LIMIT, second, third);
      third.close();
      second.awaitView(Node.LIMIT, second);
    }
  }

  @Test
  void nodesThatStartTogetherFormOneCluster() {
    int count = 4;
    List<Node> nodes =
        IntStream.range(0, count).mapToObj(i -> new Node(Node.settings(folder).build())).toList();
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Void>> starts =
        nodes.stream()
            .map(
                node ->
                    CompletableFuture.runAsync(
                        () -> {
                          awaitLatch(go);
                          node.start();
                        },
                        task -> new Thread(task).start()))
            .toList();
    go.countDown();
    starts.forEach(CompletableFuture::join);
    nodes.forEach(node -> node.awaitSize(count));
    assertThat(nodes).extracting(Node::view).containsOnly(nodes.get(0).view());
    nodes.forEach(Node::close);
  }

  @Test
  void messagesArriveCompleteAndInOrderOnOneThread() {
    int small = 10_000;
    int large = 5;
    try (Node first = Node.started(folder);
        Node second = Node.started(folder)) {
      first.awaitView(first, second);
      for (int i = 0; i < small; i++) {
        second.membership().send(first.id(), ByteBuffer.allocate(8).putInt(0, i).array());
      }
      for (int i = 0; i < large; i++) {
        second.membership().send(first.id(), block(i));
      }
      first.awaitReceived(small + large);
      assertThat(first.received()).extracting(Node.Received::from).containsOnly(second.id());
      for (int i = 0; i < small; i++) {
        assertThat(first.received().get(i).message().getInt(0)).isEqualTo(i);
      }
      for (int i = 0; i < large; i++) {
        assertThat(first.received().get(small + i).message()).isEqualTo(ByteBuffer.wrap(block(i)));
      }
      assertThat(first.threads()).hasSize(1);
    }
  }

  @Test
  void aMessageToOneselfArrivesAndOneToAStrangerIsDropped() {
    try (Node first = Node.started(folder);
        Node second = Node.started(folder)) {
      Node stranger = new Node(Node.settings(folder).build());
      second.membership().send(stranger.id(), new byte[] {1});
      second.membership().send(second.id(), new byte[] {2});
      second.awaitReceived(1);
      assertThat(second.received().get(0).message()).isEqualTo(ByteBuffer.wrap(new byte[] {2}));
      assertThat(second.received().get(0).from()).isEqualTo(second.id());
      assertThat(first.received()).isEmpty();
      stranger.close();
    }
  }

  @Test
  void aTakenPortIsNamedTogetherWithItsSetting() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Node node = new Node(Node.settings(folder).membershipPort(taken.getLocalPort()).build())) {
      assertThatThrownBy(node::start)
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining("Port " + taken.getLocalPort())
          .hasMessageContaining("membershipPort");
    }
  }

  @Test
  void anAddressOfAnotherMachineIsRefused() {
    assertRefused("192.0.2.1", "not an address of this machine");
    assertRefused("0.0.0.0", "all addresses");
    assertRefused("no-such-host.invalid", "unknown");
  }

  @Test
  void onlyTheBindAddressIsListenedOn() throws IOException {
    try (Node node = Node.started(folder)) {
      int port = node.membership().port();
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      }
      assertThatThrownBy(
              () -> {
                try (Socket socket = new Socket()) {
                  socket.connect(
                      new InetSocketAddress(
                          InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), port),
                      1000);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void filesOfCrashedNodesDoNotKeepTheNextOneFromFoundingACluster() throws IOException {
    Node crashed = Node.started(folder);
    crashed.membership().kill();
    assertThat(nodeFiles()).hasSize(1);
    try (Node next = Node.started(folder)) {
      assertThat(next.view()).containsExactly(next.id());
      assertThat(nodeFiles()).containsExactly(next.id() + ".node");
    }
    assertThat(nodeFiles()).isEmpty();
  }

  @Test
  void aNodeThatTakesTheCrashedOnesPortIsNotMistakenForIt() {
    Node crashed = Node.started(folder);
    int port = crashed.membership().port();
    crashed.membership().kill();
    NodeSettings samePort = Node.settings(folder).membershipPort(port).build();
    try (Node next = Node.started(samePort);
        Node other = Node.started(folder)) {
      other.awaitView(next, other);
    }
  }

  @Test
  void theFolderIsPrivate() throws IOException {
    try (Node node = Node.started(folder)) {
      assertThat(node.view()).hasSize(1);
      Path cluster = folder.resolve("headrace");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cluster)))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void nodesFindEachOtherByHosts() throws IOException {
    int port = FreePorts.one();
    NodeSettings.Builder byHost =
        NodeSettings.builder().discovery(Discovery.hosts("127.0.0.1:" + port));
    try (Node first = Node.started(byHost.membershipPort(port).build());
        Node second = Node.started(byHost.membershipPort(0).build());
        Node third = Node.started(byHost.membershipPort(0).build())) {
      assertThat(first.membership().port()).isEqualTo(port);
      second.awaitView(first, second, third);
      third.awaitView(first, second, third);
    }
  }

  @Test
  void anEndedMembershipSendsNothingAndCallsNobody() {
    try (Node first = Node.started(folder)) {
      Node second = Node.started(folder);
      second.close();
      second.close();
      int heard = second.received().size();
      first.awaitView(first);
      assertThat(second.view()).hasSize(2);
      assertThat(second.received()).hasSize(heard);
      assertThatThrownBy(() -> second.membership().send(first.id(), new byte[1]))
          .isInstanceOf(NodeClosedException.class)
          .hasMessageContaining("closed");
      assertThatThrownBy(second::start).isInstanceOf(IllegalStateException.class);
    }
  }

  private void assertRefused(String bindAddress, String reason) {
    try (Node node = new Node(Node.settings(folder).bindAddress(bindAddress).build())) {
      assertThatThrownBy(node::start)
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining("bindAddress " + bindAddress)
          .hasMessageContaining(reason);
    }
  }

  private List<String> nodeFiles() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("headrace"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static byte[] block(int content) {
    byte[] block = new byte[1 << 20];
    Arrays.fill(block, (byte) content);
    return block;
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
