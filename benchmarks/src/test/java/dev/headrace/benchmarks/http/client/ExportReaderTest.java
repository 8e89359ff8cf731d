package dev.headrace.benchmarks.http.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ExportReaderTest {
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: Headrace-Complete\r\n\r\n";

  /** A node that answers one request so, whatever it asks for. */
  private static ExportReader reading(String answer) throws IOException {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> answered =
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = listening.accept()) {
                  socket.getInputStream().read(new byte[1024]);
                  socket.getOutputStream().write(answer.getBytes(US_ASCII));
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      ExportReader reader = new ExportReader(listening.getLocalPort(), "c", "binary", 0);
      answered.join();
      return reader;
    }
  }

  @Test
  void theBytesOfAllChunksCount() throws IOException {
    String chunks = "5\r\nabcde\r\n1000\r\n" + "x".repeat(4096) + "\r\n0\r\n";
    try (ExportReader reader = reading(HEAD + chunks + "Headrace-Complete: true\r\n\r\n")) {
      assertThat(reader.rest()).isEqualTo(4101);
    }
  }

  @Test
  void anExportWithoutItsTrailerIsNotWhole() throws IOException {
    try (ExportReader reader = reading(HEAD + "1\r\na\r\n0\r\n\r\n")) {
      assertThatThrownBy(reader::rest).hasMessageContaining("headrace-complete");
    }
  }

  @Test
  void anExportThatIsBrokenOffIsNotWhole() throws IOException {
    try (ExportReader reader = reading(HEAD + "ff\r\nabc")) {
      assertThatThrownBy(reader::rest).hasMessageContaining("broken off");
    }
  }

  @Test
  void aRefusedExportIsNoExport() {
    assertThatThrownBy(() -> reading("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"))
        .hasMessageContaining("404");
  }
}
