package dev.headrace.cli.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * How a command's node proves that it belongs to its cluster. What an option says takes the place
 * of its environment variable, and so counts more than a file. A secret comes only from the
 * environment or from a file, because everybody on a machine sees its command lines.
 */
public final class SecurityOptions {
  private static final String SECURITY = "HEADRACE_SECURITY";
  private static final String REQUIRED = "HEADRACE_REQUIRE_SECURITY";
  private static final String SECRET = "HEADRACE_SECRET";
  private static final String SECRET_FILE = "HEADRACE_SECRET_FILE";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--security",
      paramLabel = "MODE",
      description =
          "How nodes authenticate: none, secret, tls, or required, which is secret or tls, "
              + "whichever is given (none, unless a secret or certificates are given).")
  private @Nullable String mode;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "A file with the shared secret. Without it, the environment variable "
              + "HEADRACE_SECRET is the secret.")
  private @Nullable String secretFile;

  @Option(names = "--tls-cert", paramLabel = "FILE", description = "This node's certificate (PEM).")
  private @Nullable String certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "This node's private key (PEM, PKCS #8).")
  private @Nullable String key;

  @Option(
      names = "--tls-trust",
      paramLabel = "FILE",
      description = "The authorities that certify this cluster's nodes (PEM).")
  private @Nullable String anchors;

  /**
   * What the options say, by the variable that says the same.
   *
   * @throws ParameterException if they contradict each other
   */
  private Map<String, String> variables() {
    boolean certificates = certificate != null || key != null || anchors != null;
    if (mode == null && secretFile != null && certificates) {
      throw new ParameterException(
          spec.commandLine(),
          "both a secret and certificates are given; choose with --security secret or --security"
              + " tls");
    }
    Map<String, String> said = new LinkedHashMap<>();
    if (mode != null) {
      said.put(SECURITY, mode);
    } else if (secretFile != null) {
      said.put(SECURITY, "secret");
    } else if (certificates) {
      said.put(SECURITY, "tls");
    }
    if ("none".equalsIgnoreCase(mode)) {
      said.put(REQUIRED, "false");
    }
    put(said, SECRET_FILE, secretFile);
    put(said, "HEADRACE_TLS_CERT", certificate);
    put(said, "HEADRACE_TLS_KEY", key);
    put(said, "HEADRACE_TLS_TRUST", anchors);
    return said;
  }

  private static void put(Map<String, String> said, String variable, @Nullable String value) {
    if (value != null) {
      said.put(variable, value);
    }
  }

  /** An environment in which the options take the place of variables. */
  EnvironmentDefaults.Lookup over(EnvironmentDefaults.Lookup environment) {
    Map<String, String> said = variables();
    boolean otherSecret = said.containsKey(SECRET_FILE);
    return variable -> {
      String value = said.get(variable);
      if (value != null || (otherSecret && variable.equals(SECRET))) {
        return value;
      }
      return environment.find(variable);
    };
  }

  /** An error's message, with the option in the place of the variable that it stands for. */
  String named(String message) {
    for (String variable : variables().keySet()) {
      String place = "Environment variable " + variable + ": ";
      if (message.startsWith(place)) {
        String problem = OptionNames.in(message.substring(place.length()));
        return variable.equals(SECURITY)
            ? problem.replaceFirst("^security (= )?", "--security ")
            : OptionNames.of(variable) + ": " + problem;
      }
    }
    return message;
  }
}
