package dev.headrace.benchmarks.peer.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.BulkLoads;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.benchmarks.peer.WalkSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.api.sync.RedisStringCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Redis, one server or a cluster of masters, through Lettuce.
 *
 * <p>There are no replicas: a write is acknowledged by one server, so every other system here does
 * twice the work. Nothing is written to disk. Reads and writes share one connection, as Lettuce
 * recommends: by sixteen threads that is a third faster than a connection for each, since commands
 * of several leave together. Each reader of everything has connections of its own.
 */
public final class RedisPeer implements SystemUnderTest {

  private static final RedisCodec<String, byte[]> CODEC =
      RedisCodec.of(new StringCodec(US_ASCII), ByteArrayCodec.INSTANCE);

  private static final Logger CLIENT = Logger.getLogger("io.lettuce");
  private static final int SLOTS = 16_384;
  private static final int SLOTS_PER_COMMAND = 1024;
  private static final int LOAD_BATCH_ENTRIES = 1000;

  private final int count;
  private final List<RedisClient> clients = new ArrayList<>();
  private @Nullable RedisServers servers; // set by start
  private @Nullable RedisClusterClient cluster; // set by start, of a cluster only
  private String version = "not started";

  /** Redis with so many servers. */
  public RedisPeer(int count) {
    this.count = count;
  }

  @Override
  public String version() {
    return version;
  }

  /** Starts the servers; the number of data nodes of the others means nothing here. */
  @Override
  public void start(int dataNodes) {
    RedisServers started = new RedisServers(count);
    servers = started;
    List<RedisCommands<String, byte[]>> nodes = new ArrayList<>();
    for (int port : started.ports()) {
      RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
      clients.add(client);
      Waiting.until("Redis to listen", () -> listens(client));
      nodes.add(client.connect(CODEC).sync());
    }
    version =
        nodes
            .get(0)
            .info("server")
            .lines()
            .filter(line -> line.startsWith("redis_version:"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse("unknown");
    if (count > 1) {
      cluster = form(nodes, started.ports());
    }
  }

  private static boolean listens(RedisClient client) {
    try (StatefulRedisConnection<String, byte[]> connection = client.connect(CODEC)) {
      return connection.sync().ping().equals("PONG");
    } catch (io.lettuce.core.RedisException e) {
      return false; // not yet
    }
  }

  private static RedisClusterClient form(List<RedisCommands<String, byte[]>> nodes, int[] ports) {
    for (int i = 0; i < nodes.size(); i++) {
      int end = SLOTS * (i + 1) / nodes.size();
      for (int slot = SLOTS * i / nodes.size(); slot < end; slot += SLOTS_PER_COMMAND) {
        int[] slots = new int[Math.min(SLOTS_PER_COMMAND, end - slot)];
        int first = slot;
        java.util.Arrays.setAll(slots, j -> first + j);
        nodes.get(i).clusterAddSlots(slots);
      }
      nodes.get(i).clusterMeet("127.0.0.1", ports[0]);
    }
    Waiting.until(
        "Redis to form a cluster",
        () ->
            nodes.stream()
                .allMatch(
                    node ->
                        node.clusterInfo().contains("cluster_state:ok")
                            && node.clusterInfo().contains("cluster_known_nodes:" + ports.length)));
    return RedisClusterClient.create(RedisURI.create("127.0.0.1", ports[0]));
  }

  @Override
  public void load(Entries entries) {
    clients.forEach(RedisPeer::clear);
    RedisStringCommands<String, byte[]> writer = commands();
    entries.inBatches(LOAD_BATCH_ENTRIES, writer::mset);
  }

  /** Of one server: a pipelined MSET cannot cross the slots of a cluster. */
  @Override
  public BulkLoads bulkLoads() {
    if (cluster != null) {
      throw new UnsupportedOperationException("Bulk loads of a Redis cluster are not measured");
    }
    StatefulRedisConnection<String, byte[]> connection = clients.get(0).connect(CODEC);
    return new BulkLoads() {
      @Override
      public void clear() {
        connection.sync().flushall();
      }

      @Override
      public Map<String, Consumer<List<Map<String, byte[]>>>> ways() {
        return Map.of(
            "mset",
            batches -> batches.forEach(connection.sync()::mset),
            "pipelined mset",
            batches -> BulkLoads.pipelined(batches, connection.async()::mset));
      }
    };
  }

  private static void clear(RedisClient client) {
    try (StatefulRedisConnection<String, byte[]> connection = client.connect(CODEC)) {
      connection.sync().flushall();
    }
  }

  private RedisStringCommands<String, byte[]> commands() {
    if (cluster == null) {
      return clients.get(0).connect(CODEC).sync();
    }
    StatefulRedisClusterConnection<String, byte[]> connection = cluster.connect(CODEC);
    return connection.sync();
  }

  /** A client's view: it is no member, so every vantage is the same. */
  @Override
  public View view(Vantage vantage) {
    boolean alone = count == 1;
    return new Client(
        commands(),
        () ->
            clients.stream().map(client -> new RedisShard(client.connect(CODEC), alone)).toList());
  }

  @Override
  public void close() {
    CLIENT.setLevel(Level.OFF); // it says of each connection that it was closed
    if (cluster != null) {
      cluster.shutdown();
    }
    clients.forEach(RedisClient::shutdown);
    if (servers != null) {
      servers.close();
    }
  }

  /** The content as one client sees it. */
  private static final class Client implements View {

    private final RedisStringCommands<String, byte[]> commands;
    private final ThreadLocal<List<RedisShard>> shards;

    Client(RedisStringCommands<String, byte[]> commands, Supplier<List<RedisShard>> shards) {
      this.commands = commands;
      this.shards = ThreadLocal.withInitial(shards);
    }

    @Override
    public Walk walk(WalkSettings settings) {
      RedisWalk walk = new RedisWalk(shards.get(), settings.batchEntries());
      return new Walk(walk, () -> {}); // a cursor holds nothing on the server
    }

    @Override
    public byte @Nullable [] get(String key) {
      return commands.get(key);
    }

    @Override
    public void put(String key, byte[] value) {
      commands.set(key, value);
    }
  }
}
