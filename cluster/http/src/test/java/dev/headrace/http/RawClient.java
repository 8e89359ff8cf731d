package dev.headrace.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A connection on which a test writes what it likes, and reads what comes. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;

  /** A response; names of headers are in small letters. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Response(int status, String reason, Map<String, String> headers, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  RawClient(int port) {
    this(port, 0);
  }

  /** A client whose socket takes no more than some bytes that nobody reads. */
  RawClient(int port, int receiveBytes) {
    try {
      socket = new Socket();
      if (receiveBytes > 0) {
        socket.setReceiveBufferSize(receiveBytes);
      }
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      in = socket.getInputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  int read() throws IOException {
    return in.read();
  }

  int read(byte[] into) throws IOException {
    return in.read(into);
  }

  /** The next response as a whole. */
  Response response() throws IOException {
    String[] status = line().split(" ", 3);
    Map<String, String> headers = headers();
    byte[] body;
    if ("chunked".equals(headers.get("transfer-encoding"))) {
      body = chunks(headers);
    } else {
      body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    }
    return new Response(Integer.parseInt(status[1]), status[2], headers, body);
  }

  private byte[] chunks(Map<String, String> headers) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int length = Integer.parseInt(line(), 16);
      if (length == 0) {
        headers.putAll(headers());
        return body.toByteArray();
      }
      body.write(in.readNBytes(length));
      line();
    }
  }

  /** The next chunk, or null behind the last one. */
  byte[] chunk() throws IOException {
    int length = Integer.parseInt(line(), 16);
    if (length == 0) {
      return null;
    }
    byte[] chunk = in.readNBytes(length);
    line();
    return chunk;
  }

  /** The headers, or trailers, up to an empty line. */
  Map<String, String> headers() throws IOException {
    Map<String, String> headers = new LinkedHashMap<>();
    String line = line();
    while (!line.isEmpty()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      line = line();
    }
    return headers;
  }

  String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int next = in.read();
    while (next != '\n') {
      if (next < 0) {
        throw new IOException("the connection ended behind \"" + line + '"');
      }
      if (next != '\r') {
        line.write(next);
      }
      next = in.read();
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Whether the other side has ended the connection and nothing is left to be read. */
  boolean isEnded() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
