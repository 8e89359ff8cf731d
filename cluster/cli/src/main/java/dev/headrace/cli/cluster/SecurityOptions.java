package dev.headrace.cli.cluster;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * How a command's node proves that it belongs to its cluster. All options can come from the
 * environment. A secret comes only from there or from a file, because everybody on a machine sees
 * its command lines.
 */
public final class SecurityOptions {
  private static final String SECRET_VARIABLE = "HEADRACE_SECRET";

  /** What {@code --security} may be. */
  enum Mode {
    NONE,
    SECRET,
    TLS,
    /** Secret or TLS, whichever is given. */
    REQUIRED
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--security",
      paramLabel = "MODE",
      defaultValue = "${env:HEADRACE_SECURITY:-}",
      description =
          "How nodes authenticate: none, secret, tls, or required, which is secret or tls, "
              + "whichever is given (none, unless a secret or certificates are given).")
  private String mode = "";

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      defaultValue = "${env:HEADRACE_SECRET_FILE:-}",
      description =
          "A file with the shared secret. Without it, the environment variable "
              + "HEADRACE_SECRET is the secret.")
  private String secretFile = "";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      defaultValue = "${env:HEADRACE_TLS_CERT:-}",
      description = "This node's certificate (PEM).")
  private String certificate = "";

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      defaultValue = "${env:HEADRACE_TLS_KEY:-}",
      description = "This node's private key (PEM, PKCS #8).")
  private String key = "";

  @Option(
      names = "--tls-trust",
      paramLabel = "FILE",
      defaultValue = "${env:HEADRACE_TLS_TRUST:-}",
      description = "The authorities that certify this cluster's nodes (PEM).")
  private String anchors = "";

  /** Whether these options read an environment variable. */
  static boolean reads(String variable) {
    return variable.equals("HEADRACE_SECURITY")
        || variable.startsWith(SECRET_VARIABLE)
        || variable.startsWith("HEADRACE_TLS_");
  }

  /**
   * Adds what the options and the environment say.
   *
   * @throws ParameterException if they contradict each other, or something is missing
   */
  void to(NodeSettings.Builder settings) {
    Mode wanted = wanted();
    boolean files = Stream.of(certificate, key, anchors).anyMatch(file -> !file.isBlank());
    boolean secret = !secretFile.isBlank() || variable() != null;
    if (wanted == Mode.NONE) {
      settings.security(Security.none()).requireSecurity(false);
      return;
    }
    if (wanted == null && !secret && !files) {
      return;
    }
    if (secret && files && (wanted == null || wanted == Mode.REQUIRED)) {
      throw wrongly(
          "both a secret and certificates are given; choose with --security secret or --security"
              + " tls",
          null);
    }
    settings.requireSecurity(wanted != null);
    if (wanted == Mode.TLS || (files && wanted != Mode.SECRET)) {
      settings.security(certificates());
    } else if (wanted == Mode.SECRET || secret) {
      settings.security(secret());
    } else if (wanted == Mode.REQUIRED) {
      throw wrongly(
          "--security is required: give --secret-file or "
              + SECRET_VARIABLE
              + ", or --tls-cert, --tls-key and --tls-trust",
          null);
    }
  }

  private @Nullable Mode wanted() {
    if (mode.isBlank()) {
      return null;
    }
    for (Mode known : Mode.values()) {
      if (known.name().equals(mode.toUpperCase(Locale.ROOT))) {
        return known;
      }
    }
    throw wrongly(
        "--security must be none, secret, tls or required, but is \"" + mode + "\"", null);
  }

  private Security certificates() {
    if (certificate.isBlank() || key.isBlank() || anchors.isBlank()) {
      throw wrongly("--security tls needs --tls-cert, --tls-key and --tls-trust", null);
    }
    return Security.tls(Path.of(certificate), Path.of(key), Path.of(anchors));
  }

  private Security secret() {
    String value = variable();
    try {
      if (!secretFile.isBlank()) {
        return Security.secretFile(Path.of(secretFile));
      } else if (value != null) {
        return Security.secret(value);
      }
    } catch (IllegalArgumentException e) {
      throw wrongly(String.valueOf(e.getMessage()), e);
    }
    throw wrongly(
        "--security secret needs --secret-file, or the environment variable " + SECRET_VARIABLE,
        null);
  }

  private static @Nullable String variable() {
    String value = System.getenv(SECRET_VARIABLE);
    return value == null || value.isBlank() ? null : value;
  }

  private ParameterException wrongly(String message, @Nullable Throwable cause) {
    return new ParameterException(spec.commandLine(), message, cause);
  }
}
