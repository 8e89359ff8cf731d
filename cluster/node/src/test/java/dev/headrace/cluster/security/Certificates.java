package dev.headrace.cluster.security;

import dev.headrace.api.Security;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An authority that certifies nodes with the JDK's keytool: one call for each key. */
public final class Certificates {
  private static final String PASSWORD = "changeit";
  private static final int LINE = 64;
  private static final long LIMIT_SECONDS = 120;

  private final Path folder;
  private final String name;

  /** Makes an authority whose files are in the folder. */
  public Certificates(Path folder, String name) {
    this.folder = folder;
    this.name = name;
    keytool(name, "-ext", "bc:c");
    write(pem(name, "cert"), "CERTIFICATE", certificate(stored(), name));
  }

  /** Certifies a node; its name names the files. */
  public Security.Tls node(String node) {
    keytool(node, "-signer", name);
    KeyStore stored = stored();
    Path certificate = pem(node, "cert");
    write(certificate, "CERTIFICATE", certificate(stored, node));
    Path key = pem(node, "key");
    write(key, "PRIVATE KEY", key(stored, node));
    return (Security.Tls) Security.tls(certificate, key, pem(name, "cert"));
  }

  private KeyStore stored() {
    try (InputStream in = Files.newInputStream(store())) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      return keys;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] certificate(KeyStore stored, String alias) {
    try {
      return stored.getCertificate(alias).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] key(KeyStore stored, String alias) {
    try {
      return stored.getKey(alias, PASSWORD.toCharArray()).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(Path file, String kind, byte[] content) {
    String text = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(content);
    try {
      Files.writeString(
          file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path store() {
    return folder.resolve(name + ".p12");
  }

  private Path pem(String alias, String what) {
    return folder.resolve(alias + "." + what + ".pem");
  }

  private void keytool(String alias, String... more) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of("-genkeypair", "-alias", alias, "-dname", "CN=" + alias));
    command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "30"));
    command.addAll(List.of("-keystore", store().toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD, "-keypass", PASSWORD));
    command.addAll(Arrays.asList(more));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException(command + ": " + output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
