package dev.headrace.benchmarks.http.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads an export from a socket and looks at nothing but its length and its end. It reads when
 * asked to; until then the socket's buffer fills and the node has to wait. Not thread safe.
 */
public final class ExportReader implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final String COMPLETE = "headrace-complete: true";

  private final Socket socket = new Socket();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final InputStream in;
  private int position;
  private int limit;

  /**
   * Asks for a whole cache, and reads the headers of the answer.
   *
   * @param port of the node
   * @param format as the parameter {@code format} has it
   * @param receiveBytes the socket's buffer; 0 for the system's choice
   * @throws IOException if the answer is not one of success
   */
  public ExportReader(int port, String cache, String format, int receiveBytes) throws IOException {
    try {
      if (receiveBytes > 0) {
        socket.setReceiveBufferSize(receiveBytes);
      }
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      String request =
          "GET /v1/caches/%s/entries?format=%s HTTP/1.1\r\nhost: localhost\r\n\r\n"
              .formatted(cache, format);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      in = socket.getInputStream();
      String status = line();
      if (!status.equals("HTTP/1.1 200 OK")) {
        throw new IOException("The export was answered with " + status);
      }
      lines();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * Reads all that is left.
   *
   * @return bytes of the body
   * @throws IOException if it ends before all was sent
   */
  public long rest() throws IOException {
    long bytes = 0;
    for (int length = chunk(); length > 0; length = chunk()) {
      skip(length);
      bytes += length;
      if (!line().isEmpty()) {
        throw new IOException("A chunk has another length than it says");
      }
    }
    if (!lines().contains(COMPLETE)) {
      throw new IOException("The export has ended, but not with \"" + COMPLETE + "\"");
    }
    return bytes;
  }

  private int chunk() throws IOException {
    return Integer.parseInt(line(), 16);
  }

  private List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      lines.add(line.toLowerCase(Locale.ROOT));
    }
    return lines;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int character = next(); character != '\n'; character = next()) {
      if (character != '\r') {
        line.append((char) character);
      }
    }
    return line.toString();
  }

  private int next() throws IOException {
    if (position == limit) {
      fill();
    }
    return buffer[position++];
  }

  private void skip(int bytes) throws IOException {
    int left = bytes;
    while (left > 0) {
      if (position == limit) {
        fill();
      }
      int some = Math.min(left, limit - position);
      position += some;
      left -= some;
    }
  }

  private void fill() throws IOException {
    limit = Math.max(0, in.read(buffer));
    position = 0;
    if (limit == 0) {
      throw new EOFException("The node has broken off the export");
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
