package dev.headrace.http.server;

import dev.headrace.http.exchange.ProblemException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a port. Immutable.
 *
 * <p>Without a token and certificates anybody who reaches the port may; it is then for programs of
 * the same machine. A web page must not use it in its reader's name: a foreign {@code Origin} is
 * refused, and so is, on a loopback address, a {@code Host} that is no name of this machine, by
 * which a page could make its own name mean this address (DNS rebinding).
 */
public final class AccessRules {
  private final byte @Nullable [] tokenDigest;
  private final boolean certificates;
  private final boolean localNamesOnly;
  private final Set<String> hosts;
  private final Set<String> origins;

  /**
   * Rules.
   *
   * @param token what callers have to send as {@code Authorization: Bearer}; null for nothing
   * @param certificates whether a certificate that TLS has checked is a proof, too
   * @param loopback whether the port listens on a loopback address
   * @param hosts further names by which the port is called
   * @param origins web pages that may use the port, as browsers write them in {@code Origin}
   */
  public AccessRules(
      @Nullable String token,
      boolean certificates,
      boolean loopback,
      Set<String> hosts,
      Set<String> origins) {
    this.tokenDigest = token == null ? null : digest(token);
    this.certificates = certificates;
    this.localNamesOnly = loopback && token == null && !certificates;
    this.hosts = Set.copyOf(hosts);
    this.origins = Set.copyOf(origins);
  }

  /**
   * Checks by which name the port was called, and for which web page.
   *
   * @param host the header, or null
   * @param origin the header, or null
   * @return the origin if it is a foreign one that is allowed, else null
   * @throws ProblemException 421 or 403
   */
  @Nullable String checkCaller(@Nullable String host, @Nullable String origin) {
    if (localNamesOnly && host != null && !isLocal(host) && !hosts.contains(nameOf(host))) {
      throw new ProblemException(
          421,
          "This node listens on a loopback address: call it localhost, or start it with the name"
              + " (--http-host, or HttpSettings.Builder.allowedHosts)");
    }
    if (origin == null || isSame(origin, host)) {
      return null;
    }
    if (origins.contains(origin)) {
      return origin;
    }
    throw new ProblemException(
        403, "Web pages of another origin may not use this node; add it to its allowedOrigins");
  }

  /**
   * Checks that a caller has proved who it is.
   *
   * @param authorization the header, or null
   * @param certified whether TLS has checked a certificate of the caller
   * @throws ProblemException 401
   */
  void checkProof(@Nullable String authorization, boolean certified) {
    if ((tokenDigest == null && !certificates) || (certificates && certified)) {
      return;
    }
    boolean proved =
        tokenDigest != null
            && authorization != null
            && authorization.regionMatches(true, 0, "Bearer ", 0, 7)
            && MessageDigest.isEqual(tokenDigest, digest(authorization.substring(7).strip()));
    if (!proved) {
      throw new ProblemException(
              401,
              "Send the node's token as Authorization: Bearer"
                  + (certificates ? ", or show a certificate of its cluster" : ""))
          .with("www-authenticate", "Bearer realm=\"headrace\"");
    }
  }

  private static boolean isLocal(String host) {
    String name = nameOf(host);
    return name.equals("localhost")
        || name.endsWith(".localhost")
        || name.equals("[::1]")
        || name.matches("127(\\.\\d{1,3}){3}");
  }

  private static String nameOf(String host) {
    int colon = host.lastIndexOf(':');
    boolean port = colon > 0 && host.indexOf(']') < colon;
    return (port ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
  }

  private static boolean isSame(String origin, @Nullable String host) {
    try {
      String authority = new URI(origin).getAuthority();
      return authority != null && authority.equalsIgnoreCase(host);
    } catch (URISyntaxException e) {
      return false; // nobody's origin
    }
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
