package dev.headrace.benchmarks.peer;

import dev.headrace.api.Security;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate that all nodes of a benchmark share, which is its own authority. */
public final class TlsFiles {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "node";
  private static final int LINE = 64;

  private TlsFiles() {}

  /** Makes the files with the JDK's keytool, unless they are there. */
  public static void make(Path folder) {
    try {
      Files.createDirectories(folder);
      Path store = folder.resolve("node.p12");
      if (Files.notExists(store)) {
        keytool(store);
      }
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD.toCharArray());
      }
      write(
          folder.resolve("key.pem"),
          "PRIVATE KEY",
          keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
      write(folder.resolve("cert.pem"), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    } catch (IOException e) {
      throw new UncheckedIOException("No certificate could be made in " + folder, e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("No certificate could be made in " + folder, e);
    }
  }

  /** The setting for files that were made before. */
  public static Security in(Path folder) {
    Path certificate = folder.resolve("cert.pem");
    return Security.tls(certificate, folder.resolve("key.pem"), certificate);
  }

  private static void write(Path file, String kind, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }

  private static void keytool(Path store) throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-groupname",
                    "secp256r1",
                    "-validity",
                    "3650",
                    "-ext",
                    "bc:c",
                    "-dname",
                    "CN=benchmark",
                    "-alias",
                    ALIAS,
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    store.toString()))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool failed: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
