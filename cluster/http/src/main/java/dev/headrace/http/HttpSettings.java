package dev.headrace.http;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a node is reached over HTTP. Immutable; made by a {@link #builder()}. */
public final class HttpSettings {
  private final Builder values;

  private HttpSettings(Builder values) {
    this.values = values;
  }

  /** Settings in which everything has its default. */
  public static HttpSettings defaults() {
    return builder().build();
  }

  /** A builder in which everything has its default. */
  public static Builder builder() {
    return new Builder();
  }

  /** The address to listen on; 127.0.0.1 unless set. */
  public String bindAddress() {
    return values.bindAddress;
  }

  /** The port to listen on; 0, which is any free one, unless set. */
  public int port() {
    return values.port;
  }

  /** The token that callers send; null for what the node's security gives. */
  public @Nullable String token() {
    return values.token;
  }

  /** Further names by which the node is called; none unless set. */
  public Set<String> allowedHosts() {
    return values.allowedHosts;
  }

  /** The origins of web pages that may use the node; none unless set. */
  public Set<String> allowedOrigins() {
    return values.allowedOrigins;
  }

  /** The registry that the node's figures are kept in, too; null unless set. */
  public @Nullable MeterRegistry registry() {
    return values.registry;
  }

  /** The most connections at a time; 1,024 unless set. */
  public int maxConnections() {
    return values.maxConnections;
  }

  /** The most streams at a time; 64 unless set. */
  public int maxStreams() {
    return values.maxStreams;
  }

  /** How long bytes may wait for a client that takes nothing; 10 minutes unless set. */
  public Duration stallTimeout() {
    return values.stallTimeout;
  }

  /** After how long without news a stream of events says that it goes on; 15 seconds unless set. */
  public Duration heartbeat() {
    return values.heartbeat;
  }

  /** How long a request line and its headers may take to arrive; 10 seconds unless set. */
  public Duration requestTimeout() {
    return values.requestTimeout;
  }

  /** How long a connection may wait for its next request; a minute unless set. */
  public Duration idleTimeout() {
    return values.idleTimeout;
  }

  /** Everything but the token, by its name. */
  @Override
  public String toString() {
    return "HttpSettings[bindAddress="
        + bindAddress()
        + ", port="
        + port()
        + ", token="
        + (token() == null ? "none" : "hidden")
        + ", allowedHosts="
        + allowedHosts()
        + ", allowedOrigins="
        + allowedOrigins()
        + ", maxConnections="
        + maxConnections()
        + ", maxStreams="
        + maxStreams()
        + ", stallTimeout="
        + stallTimeout()
        + ", heartbeat="
        + heartbeat()
        + ", requestTimeout="
        + requestTimeout()
        + ", idleTimeout="
        + idleTimeout()
        + ']';
  }

  /**
   * Makes settings. A setter throws {@link IllegalArgumentException} if its value is out of range,
   * and {@link NullPointerException} for null.
   */
  public static final class Builder {
    /** The fewest characters of a token: a shorter one could be guessed. */
    public static final int MIN_TOKEN = 16;

    private String bindAddress = "127.0.0.1";
    private int port;
    private @Nullable String token;
    private Set<String> allowedHosts = Set.of();
    private Set<String> allowedOrigins = Set.of();
    private @Nullable MeterRegistry registry;
    private int maxConnections = 1024;
    private int maxStreams = 64;
    private Duration stallTimeout = Duration.ofMinutes(10);
    private Duration heartbeat = Duration.ofSeconds(15);
    private Duration requestTimeout = Duration.ofSeconds(10);
    private Duration idleTimeout = Duration.ofMinutes(1);

    private Builder() {}

    /** The address to listen on. */
    public Builder bindAddress(String address) {
      bindAddress = Objects.requireNonNull(address, "address");
      return this;
    }

    /**
     * The port to listen on.
     *
     * @param number 0 to 65535; 0 for any free one
     */
    public Builder port(int number) {
      require(number >= 0 && number <= 65_535, "port must be between 0 and 65535, but is ", number);
      port = number;
      return this;
    }

    /**
     * What callers have to send as {@code Authorization: Bearer}. Unless set, a node whose security
     * is a secret wants a token that is derived from it, see {@link HttpServer#tokenOf}, and one
     * with TLS a certificate of its cluster.
     *
     * @param secret at least {@link #MIN_TOKEN} characters
     */
    public Builder token(String secret) {
      require(
          secret.length() >= MIN_TOKEN,
          "token must have at least " + MIN_TOKEN + " characters, but has ",
          secret.length());
      token = secret;
      return this;
    }

    /**
     * Further names by which a node on a loopback address without a token is called, such as that
     * of a proxy. Others than {@code localhost} are refused otherwise, because a web page could
     * make its own name mean this machine.
     *
     * @param names in small letters, without ports
     */
    public Builder allowedHosts(Set<String> names) {
      allowedHosts = Set.copyOf(names);
      return this;
    }

    /**
     * Web pages that may use the node from a browser.
     *
     * @param origins such as {@code https://example.org}
     */
    public Builder allowedOrigins(Set<String> origins) {
      allowedOrigins = Set.copyOf(origins);
      return this;
    }

    /**
     * Keeps the node's figures in a registry of yours, too. If it is Prometheus's, {@code /metrics}
     * shows all of it.
     */
    public Builder registry(MeterRegistry present) {
      registry = Objects.requireNonNull(present, "present");
      return this;
    }

    /**
     * The most connections at a time; further ones are refused with 503.
     *
     * @param most at least 1
     */
    public Builder maxConnections(int most) {
      require(most >= 1, "maxConnections must be at least 1, but is ", most);
      maxConnections = most;
      return this;
    }

    /**
     * The most streams at a time, those of the console included; further ones are refused with 503.
     *
     * @param most at least 1
     */
    public Builder maxStreams(int most) {
      require(most >= 1, "maxStreams must be at least 1, but is ", most);
      maxStreams = most;
      return this;
    }

    /**
     * How long bytes of a reply may wait for a client that takes nothing, before its connection is
     * ended. A reply that has nothing to send is not late.
     */
    public Builder stallTimeout(Duration time) {
      stallTimeout = positive("stallTimeout", time);
      return this;
    }

    /**
     * After how long without news a stream of events sends a comment, so that a client that has
     * gone is noticed, and proxies keep the connection.
     */
    public Builder heartbeat(Duration time) {
      heartbeat = positive("heartbeat", time);
      return this;
    }

    /** How long a request line and its headers may take to arrive on a new connection. */
    public Builder requestTimeout(Duration time) {
      requestTimeout = positive("requestTimeout", time);
      return this;
    }

    /** How long a connection may wait for its next request, or for the next part of a load. */
    public Builder idleTimeout(Duration time) {
      idleTimeout = positive("idleTimeout", time);
      return this;
    }

    /** Makes the settings. */
    public HttpSettings build() {
      Builder copy = new Builder();
      copy.bindAddress = bindAddress;
      copy.port = port;
      copy.token = token;
      copy.allowedHosts = allowedHosts;
      copy.allowedOrigins = allowedOrigins;
      copy.registry = registry;
      copy.maxConnections = maxConnections;
      copy.maxStreams = maxStreams;
      copy.stallTimeout = stallTimeout;
      copy.heartbeat = heartbeat;
      copy.requestTimeout = requestTimeout;
      copy.idleTimeout = idleTimeout;
      return new HttpSettings(copy);
    }

    private static Duration positive(String name, Duration time) {
      if (time.isNegative() || time.isZero() || time.compareTo(Duration.ofDays(1)) > 0) {
        throw new IllegalArgumentException(
            name + " must be positive and at most a day, but is " + time);
      }
      return time;
    }

    private static void require(boolean condition, String message, int value) {
      if (!condition) {
        throw new IllegalArgumentException(message + value);
      }
    }
  }
}
