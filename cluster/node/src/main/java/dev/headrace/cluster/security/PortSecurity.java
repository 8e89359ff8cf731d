package dev.headrace.cluster.security;

import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of a node's ports have to prove.
 *
 * @param mode which it is, for the wire
 * @param secret what both sides prove to know; null unless the mode is {@link Mode#SECRET}
 * @param tls what both sides show; null unless the mode is {@link Mode#TLS}
 */
public record PortSecurity(Mode mode, @Nullable SharedSecret secret, @Nullable TlsIdentity tls) {

  /** Nothing has to be proved. */
  public static final PortSecurity NONE = new PortSecurity(Mode.NONE, null, null);

  /** The kinds. The order is the wire's. */
  public enum Mode {
    /** Nothing. */
    NONE,
    /** A shared secret. */
    SECRET,
    /** Certificates. */
    TLS
  }

  /**
   * What the setting means.
   *
   * @throws HeadraceException if its files cannot be read or used; the message names the file
   */
  public static PortSecurity of(Security setting, String clusterName) {
    if (setting instanceof Security.Secret secret) {
      return new PortSecurity(Mode.SECRET, new SharedSecret(secret.bytes(), clusterName), null);
    } else if (setting instanceof Security.Tls files) {
      return new PortSecurity(Mode.TLS, null, new TlsIdentity(files));
    }
    return NONE;
  }
}
