package dev.headrace.cluster.security;

import dev.headrace.api.Security;
import dev.headrace.api.error.HeadraceException;
import org.jspecify.annotations.Nullable;

/**
 * What both sides of a connection to a node's ports have to prove.
 *
 * @param mode the mode, as it is sent
 * @param secret the secret that both sides prove to know; null unless the mode is {@link
 *     Mode#SECRET}
 * @param tls the certificate that this node shows; null unless the mode is {@link Mode#TLS}
 */
public record PortSecurity(Mode mode, @Nullable SharedSecret secret, @Nullable TlsIdentity tls) {

  /** Nothing has to be proved. */
  public static final PortSecurity NONE = new PortSecurity(Mode.NONE, null, null);

  /** The modes. The ordinals are sent. */
  public enum Mode {
    /** Nothing. */
    NONE,
    /** A shared secret. */
    SECRET,
    /** Certificates. */
    TLS
  }

  /**
   * Reads the setting.
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
