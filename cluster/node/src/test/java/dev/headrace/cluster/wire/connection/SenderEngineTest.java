package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.cluster.security.Certificates;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.security.TlsIdentity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who makes records, and when. */
final class SenderEngineTest {
  private static final int ROOM_BYTES = 1 << 20;

  @TempDir private static Path folder;
  private static TlsIdentity identity;

  private final ByteBuffer toServer = ByteBuffer.allocate(ROOM_BYTES);
  private final ByteBuffer toClient = ByteBuffer.allocate(ROOM_BYTES);
  private SenderEngine client;
  private SSLEngine server;

  @BeforeEach
  void shakeHands() throws SSLException {
    if (identity == null) {
      identity = PortSecurity.of(new Certificates(folder, "authority").node("node"), "mill").tls();
    }
    client = new SenderEngine(identity.engine(true));
    server = identity.engine(false);
    client.beginHandshake();
    server.beginHandshake();
    while (shaking(client) || shaking(server) || toClient.position() > 0) {
      step(client, toServer, toClient);
      step(server, toClient, toServer);
    }
    client.handOver();
  }

  @Test
  void contentOfAnySizeArrivesAsItWas() throws SSLException {
    for (int bytes : new int[] {1, 150, 16_384, 16_385, 300_000}) {
      assertArrives(bytes);
    }
  }

  @Test
  void theLoopMakesNoRecordsAfterTheHandOver() throws SSLException {
    SSLEngineResult nothing = client.wrap(ByteBuffer.allocate(0), toServer);
    assertThat(nothing.bytesProduced()).isZero();
    assertThat(nothing.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
    assertThatThrownBy(() -> client.wrap(ByteBuffer.allocate(1), toServer))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void newKeysThatThePeerAsksForGoInFrontOfWhatIsSentNext() throws SSLException {
    server.beginHandshake(); // of a connection in use: a request for new keys
    server.wrap(ByteBuffer.allocate(0), toClient);
    assertThat(toClient.position()).isPositive();
    server.wrap(ByteBuffer.wrap(new byte[] {7}), toClient);
    byte[] received = decrypt(client, toClient);
    assertThat(received).as("with the server's new keys").containsExactly(7);
    assertThat(client.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
    assertThat(client.wrap(ByteBuffer.allocate(0), toServer).bytesProduced()).isZero();
    assertArrives(150);
    assertArrives(40_000);
  }

  @Test
  void nothingIsSentAfterTheEnd() {
    client.closeOutbound();
    ByteBuf plain = Unpooled.directBuffer().writeZero(150);
    ByteBuf out = Unpooled.directBuffer(SenderEngine.roomBytes(150));
    assertThatThrownBy(() -> client.encrypt(plain, out)).isInstanceOf(SSLException.class);
    plain.release();
    out.release();
  }

  private void assertArrives(int bytes) throws SSLException {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    ByteBuf plain = Unpooled.directBuffer(bytes).writeBytes(content);
    ByteBuf out = Unpooled.directBuffer(1);
    client.encrypt(plain, out);
    assertThat(plain.readableBytes()).isEqualTo(bytes);
    out.readBytes(toServer.limit(toServer.position() + out.readableBytes()));
    toServer.limit(ROOM_BYTES);
    assertThat(Arrays.equals(decrypt(server, toServer), content)).isTrue();
    plain.release();
    out.release();
  }

  private static byte[] decrypt(SSLEngine engine, ByteBuffer records) throws SSLException {
    ByteBuffer out = ByteBuffer.allocate(ROOM_BYTES);
    records.flip();
    while (records.hasRemaining()) {
      engine.unwrap(records, out);
    }
    records.clear();
    return Arrays.copyOf(out.array(), out.position());
  }

  private static boolean shaking(SSLEngine engine) {
    return engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING;
  }

  private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
    if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      engine.wrap(ByteBuffer.allocate(0), out);
    }
    in.flip();
    if (in.hasRemaining()) {
      engine.unwrap(in, ByteBuffer.allocate(ROOM_BYTES));
    }
    in.compact();
  }
}
