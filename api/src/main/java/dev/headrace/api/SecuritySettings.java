package dev.headrace.api;

import dev.headrace.api.ConfigurationSource.Setting;
import dev.headrace.api.error.ConfigurationException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** How nodes authenticate each other, made of several settings. Stateless. */
final class SecuritySettings {
  private static final ConfigurationKey MODE =
      new ConfigurationKey(
          "security", "none, secret, tls, or required, which is secret or tls, whichever is given");
  private static final ConfigurationKey SECRET =
      new ConfigurationKey("secret", "a secret of at least 16 bytes");
  private static final ConfigurationKey SECRET_FILE =
      new ConfigurationKey("secretFile", "a file with the shared secret");
  private static final ConfigurationKey CERTIFICATE =
      new ConfigurationKey("tlsCert", "a file with this node's certificate (PEM)");
  private static final ConfigurationKey KEY =
      new ConfigurationKey("tlsKey", "a file with this node's private key (PEM, PKCS #8)");
  private static final ConfigurationKey TRUST =
      new ConfigurationKey("tlsTrust", "a file with the authorities of this cluster (PEM)");

  static final List<ConfigurationKey> KEYS =
      List.of(MODE, SECRET, SECRET_FILE, CERTIFICATE, KEY, TRUST);

  private static final Set<String> MODES = Set.of("none", "secret", "tls", "required");

  private SecuritySettings() {}

  /**
   * Adds them to a builder, if there are any.
   *
   * @throws ConfigurationException if they do not fit together, or a file cannot be read
   */
  static void of(ConfigurationSource source, NodeSettings.Builder builder) {
    String mode = mode(source);
    List<Setting> secrets = present(source, SECRET, SECRET_FILE);
    List<Setting> files = present(source, CERTIFICATE, KEY, TRUST);
    if (mode.equals("none")) {
      builder.security(Security.none());
      return;
    }
    if (mode.equals("required")) {
      builder.requireSecurity(true);
    }
    boolean open = mode.isEmpty() || mode.equals("required");
    if (open && !secrets.isEmpty() && !files.isEmpty()) {
      throw secrets
          .get(0)
          .wrong("both a secret and certificates are set: choose with security = secret or tls");
    }
    if (mode.equals("tls") || (open && !files.isEmpty())) {
      builder.security(certificates(source));
    } else if (!secrets.isEmpty()) {
      builder.security(secret(secrets));
    } else if (!mode.isEmpty()) {
      throw any(source, MODE)
          .wrong(
              "security = "
                  + mode
                  + " needs secretFile or secret (best as the environment variable HEADRACE_SECRET)"
                  + (mode.equals("required") ? ", or tlsCert, tlsKey and tlsTrust" : ""));
    }
  }

  private static String mode(ConfigurationSource source) {
    StringBuilder mode = new StringBuilder();
    NodeConfiguration.apply(
        source,
        MODE,
        text -> {
          if (!MODES.contains(text.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(text);
          }
          mode.append(text.toLowerCase(Locale.ROOT));
        });
    return mode.toString();
  }

  private static Security secret(List<Setting> secrets) {
    if (secrets.size() > 1) {
      throw secrets.get(0).wrong("secret and secretFile are both set: remove one");
    }
    Setting only = secrets.get(0);
    try {
      return only.key().equals(SECRET.name())
          ? Security.secret(only.value())
          : Security.secretFile(Path.of(only.value()));
    } catch (IllegalArgumentException e) {
      throw only.wrong(String.valueOf(e.getMessage()));
    }
  }

  private static Security certificates(ConfigurationSource source) {
    List<Path> paths = new ArrayList<>();
    for (ConfigurationKey key : List.of(CERTIFICATE, KEY, TRUST)) {
      Setting setting = source.find(key.name());
      if (setting == null) {
        throw any(source, MODE, CERTIFICATE, KEY, TRUST)
            .wrong(
                "tlsCert, tlsKey and tlsTrust belong together, but " + key.name() + " is missing");
      }
      try {
        paths.add(Path.of(setting.value()));
      } catch (InvalidPathException e) {
        throw setting.wrong(key.name() + " must be the path of a file: " + e.getMessage());
      }
    }
    return Security.tls(paths.get(0), paths.get(1), paths.get(2));
  }

  private static List<Setting> present(ConfigurationSource source, ConfigurationKey... keys) {
    List<Setting> present = new ArrayList<>();
    for (ConfigurationKey key : keys) {
      Setting setting = source.find(key.name());
      if (setting != null) {
        present.add(setting);
      }
    }
    return present;
  }

  private static Setting any(ConfigurationSource source, ConfigurationKey... keys) {
    return present(source, keys).get(0);
  }
}
