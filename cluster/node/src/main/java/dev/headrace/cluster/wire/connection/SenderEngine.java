package dev.headrace.cluster.wire.connection;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The TLS engine of a connection. The event loop does the handshake and decrypts. After {@link
 * #handOver} only {@link #encrypt} makes records, on the thread of the link's one writer, so that
 * they are sent in the order in which they were made.
 *
 * <p>Records of TLS itself, such as a key update, then wait for the next data and are sent before
 * it; TLS 1.3 demands no more (RFC 8446, 4.6.3). A connection ends without a {@code close_notify},
 * which could come between the halves of a record. Nothing relies on it: what was not answered
 * counts as lost however a connection ends.
 *
 * <p>Thread-safe as the JDK's engine is: one thread may encrypt while another one decrypts.
 */
final class SenderEngine extends SSLEngine {
  /** The most content of a record. */
  private static final int CONTENT_BYTES = 16 << 10;

  /** More than a record's header, padding and authentication tag. */
  private static final int OVERHEAD_BYTES = 256;

  private final SSLEngine engine;
  private volatile boolean handedOver;

  /**
   * One record; used by the writer. On the heap: JDK 17's ciphers take many times as long on direct
   * buffers.
   */
  private ByteBuffer record = ByteBuffer.allocate(0);

  SenderEngine(SSLEngine engine) {
    this.engine = engine;
  }

  /**
   * Lets the writer encrypt from now on. The handshake has ended, and everything that the event
   * loop has encrypted is in the socket.
   */
  void handOver() {
    handedOver = true;
  }

  /** Enough bytes for the records of this much content. */
  static int roomBytes(int contentBytes) {
    return contentBytes + (contentBytes / CONTENT_BYTES + 1) * OVERHEAD_BYTES;
  }

  /**
   * Makes records of a buffer, whose index does not change. Called by one thread at a time.
   *
   * @param out receives the records
   * @throws SSLException if the connection's TLS has ended
   */
  void encrypt(ByteBuf plain, ByteBuf out) throws SSLException {
    ByteBuffer content = plain.internalNioBuffer(plain.readerIndex(), plain.readableBytes());
    while (content.hasRemaining()) {
      record.clear();
      SSLEngineResult result = engine.wrap(content, record);
      out.writeBytes(record.flip());
      if (result.getStatus() == Status.BUFFER_OVERFLOW) {
        record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
      } else if (result.getStatus() != Status.OK) {
        throw new SSLException("TLS has ended on this connection: " + result.getStatus());
      }
    }
  }

  @Override
  public SSLEngineResult wrap(ByteBuffer[] from, int offset, int length, ByteBuffer to)
      throws SSLException {
    if (!handedOver) {
      return engine.wrap(from, offset, length, to);
    }
    for (int i = offset; i < offset + length; i++) {
      if (from[i].hasRemaining()) {
        throw new SSLException("only the link's writer encrypts on this connection");
      }
    }
    return new SSLEngineResult(Status.OK, HandshakeStatus.NOT_HANDSHAKING, 0, 0);
  }

  @Override
  public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int offset, int length)
      throws SSLException {
    SSLEngineResult result = engine.unwrap(from, to, offset, length);
    if (handedOver && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      return new SSLEngineResult(
          result.getStatus(),
          HandshakeStatus.NOT_HANDSHAKING,
          result.bytesConsumed(),
          result.bytesProduced());
    }
    return result;
  }

  @Override
  public HandshakeStatus getHandshakeStatus() {
    HandshakeStatus status = engine.getHandshakeStatus();
    return handedOver && status == HandshakeStatus.NEED_WRAP
        ? HandshakeStatus.NOT_HANDSHAKING
        : status;
  }

  @Override
  public @Nullable Runnable getDelegatedTask() {
    return engine.getDelegatedTask();
  }

  @Override
  public void closeInbound() throws SSLException {
    engine.closeInbound();
  }

  @Override
  public boolean isInboundDone() {
    return engine.isInboundDone();
  }

  @Override
  public void closeOutbound() {
    engine.closeOutbound();
  }

  @Override
  public boolean isOutboundDone() {
    return engine.isOutboundDone();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return engine.getSupportedCipherSuites();
  }

  @Override
  public String[] getEnabledCipherSuites() {
    return engine.getEnabledCipherSuites();
  }

  @Override
  public void setEnabledCipherSuites(String[] suites) {
    engine.setEnabledCipherSuites(suites);
  }

  @Override
  public String[] getSupportedProtocols() {
    return engine.getSupportedProtocols();
  }

  @Override
  public String[] getEnabledProtocols() {
    return engine.getEnabledProtocols();
  }

  @Override
  public void setEnabledProtocols(String[] protocols) {
    engine.setEnabledProtocols(protocols);
  }

  @Override
  public SSLSession getSession() {
    return engine.getSession();
  }

  @Override
  public SSLSession getHandshakeSession() {
    return engine.getHandshakeSession();
  }

  @Override
  public SSLParameters getSSLParameters() {
    return engine.getSSLParameters();
  }

  @Override
  public void setSSLParameters(SSLParameters parameters) {
    engine.setSSLParameters(parameters);
  }

  @Override
  public void beginHandshake() throws SSLException {
    engine.beginHandshake();
  }

  @Override
  public void setUseClientMode(boolean client) {
    engine.setUseClientMode(client);
  }

  @Override
  public boolean getUseClientMode() {
    return engine.getUseClientMode();
  }

  @Override
  public void setNeedClientAuth(boolean need) {
    engine.setNeedClientAuth(need);
  }

  @Override
  public boolean getNeedClientAuth() {
    return engine.getNeedClientAuth();
  }

  @Override
  public void setWantClientAuth(boolean want) {
    engine.setWantClientAuth(want);
  }

  @Override
  public boolean getWantClientAuth() {
    return engine.getWantClientAuth();
  }

  @Override
  public void setEnableSessionCreation(boolean create) {
    engine.setEnableSessionCreation(create);
  }

  @Override
  public boolean getEnableSessionCreation() {
    return engine.getEnableSessionCreation();
  }
}
