package dev.headrace.cluster.security;

import dev.headrace.api.Security;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An authority that certifies nodes with the JDK's keytool, as the guide shows. */
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
    keytool(
        "-genkeypair -keyalg EC -groupname secp256r1 -validity 30 -ext bc:c -alias",
        name,
        "-dname",
        "CN=" + name,
        "-keystore",
        store(name));
    keytool("-exportcert -rfc -alias", name, "-keystore", store(name), "-file", pem(name, "cert"));
  }

  /** Certifies a node; its name names the files. */
  public Security.Tls node(String node) {
    keytool(
        "-genkeypair -keyalg EC -groupname secp256r1 -validity 30 -alias",
        node,
        "-dname",
        "CN=" + node,
        "-keystore",
        store(node));
    keytool("-certreq -alias", node, "-keystore", store(node), "-file", pem(node, "request"));
    keytool(
        "-gencert -rfc -validity 30 -alias",
        name,
        "-keystore",
        store(name),
        "-infile",
        pem(node, "request"),
        "-outfile",
        pem(node, "cert"));
    Path key = folder.resolve(node + ".key.pem");
    writeKey(node, key);
    return (Security.Tls) Security.tls(Path.of(pem(node, "cert")), key, Path.of(pem(name, "cert")));
  }

  private void writeKey(String alias, Path file) {
    try (InputStream in = Files.newInputStream(Path.of(store(alias)))) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, PASSWORD.toCharArray());
      Key key = store.getKey(alias, PASSWORD.toCharArray());
      String text = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(key.getEncoded());
      Files.writeString(
          file, "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private String store(String alias) {
    return folder.resolve(alias + ".p12").toString();
  }

  private String pem(String alias, String what) {
    return folder.resolve(alias + "." + what + ".pem").toString();
  }

  private void keytool(String options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(Arrays.asList(options.split(" ")));
    command.addAll(Arrays.asList(arguments));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keypass", PASSWORD));
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
