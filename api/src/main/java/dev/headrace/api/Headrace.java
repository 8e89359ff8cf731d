package dev.headrace.api;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node of a cluster, and the way to its caches.
 *
 * <p>Starting a node joins the cluster that its {@link NodeSettings} name, or founds it. A node may
 * be used from any thread. Closing it leaves the cluster; every later call on it, its caches or its
 * streams fails with {@link dev.headrace.api.error.NodeClosedException}.
 */
public interface Headrace extends AutoCloseable {

  /**
   * Starts a node with default settings: the cluster named "headrace" on this machine.
   *
   * @return the node, to be closed
   * @throws dev.headrace.api.error.JoinRefusedException if the cluster does not take this node
   * @throws dev.headrace.api.error.JoinTimeoutException as below
   */
  static Headrace start() {
    return start(NodeSettings.defaults());
  }

  /**
   * Starts a node and waits until it may be used. A node of capacity 0 also starts beside a part of
   * the cluster that must not go on alone: its operations are refused until that has changed, and
   * {@link ClusterStatus#suspendedBecause} tells why.
   *
   * @param settings how the node finds its cluster, and what it brings along
   * @return the node, to be closed
   * @throws dev.headrace.api.error.JoinRefusedException if the cluster does not take this node, for
   *     example because it has other settings
   * @throws dev.headrace.api.error.JoinTimeoutException if it is not admitted within {@link
   *     NodeSettings#joinTimeout}: no cluster was found, or the cluster has no quorum, or did not
   *     answer
   * @throws dev.headrace.api.error.HeadraceException if a port is taken or the network is not
   *     usable
   */
  static Headrace start(NodeSettings settings) {
    return NodeProvider.load().start(settings);
  }

  /** The settings this node was started with. */
  NodeSettings settings();

  /**
   * Opens a cache with the built-in codecs of two types (strings, byte arrays, numbers, booleans,
   * UUIDs, instants, enums and records of these).
   *
   * @param name the cache's name in the cluster
   * @param keyType the type of its keys
   * @param valueType the type of its values
   * @return the cache; opening it again gives another view of the same
   * @throws IllegalArgumentException if the name has not 1 to 255 bytes in UTF-8
   * @throws dev.headrace.api.error.CodecException if there is no built-in codec for a type, or as
   *     below
   */
  default <K, V> Cache<K, V> cache(String name, Class<K> keyType, Class<V> valueType) {
    return cache(CacheSettings.of(name, keyType, valueType));
  }

  /**
   * Opens a cache. A cache exists as soon as something is written to it; all nodes must open it
   * with codecs of the same format. A node that holds none of the cache finds out at the first
   * operation. {@link #caches} lists the caches of the cluster.
   *
   * <p>If there are records in its values, they may have other components than those with which the
   * cache was first opened ({@link dev.headrace.api.codec.Codecs#evolved}). The calling thread then
   * asks the cluster for that format, and waits up to the operation timeout; without an answer, or
   * if nothing was written to the cluster yet, the first operations ask. No other cache sends a
   * message when it is opened.
   *
   * @param settings the cache's name, codecs and lifespan
   * @return the cache; opening it again gives another view of the same
   * @throws dev.headrace.api.error.CodecException if this node holds some of the cache in another
   *     format, or the cluster knows that records in it cannot be read; the message names the
   *     component and both formats
   */
  <K, V> Cache<K, V> cache(CacheSettings<K, V> settings);

  /**
   * What this node knows of its cluster now. Sends no message.
   *
   * @return an image, which does not change
   */
  ClusterStatus status();

  /**
   * Tells a listener what happens in the cluster from now on: who joins and leaves, losses,
   * rebalances that are complete, and when this node is suspended and serves again. Each node
   * learns of it by itself, a little sooner or later than others; {@link #status} has what is so
   * already. Of the time in which this node is not in the cluster, only its own suspension is told.
   * A node of capacity 0 tells on after it has moved to another cluster of its name; what it tells
   * of the old one may then still be under way.
   *
   * @param listener called with one event after the other, on a thread for user code; what it
   *     throws is logged
   * @return to be closed when the listener wants to hear no more; the end of the node ends it, too
   */
  Registration listen(Consumer<? super ClusterEvent> listener);

  /**
   * The caches of the cluster, whichever node opened them, with their sizes. A cache appears when
   * something was written to it or, in a cluster that holds data, a short time after a node has
   * opened it.
   *
   * <p>It costs one message to each data node and one back, whatever the number of segments; beyond
   * some hundred caches one more for each further 512. The nodes look at each of their replicas of
   * each cache, on a thread that operations do not use. The sizes are counted at one moment per
   * node, so all together are no snapshot.
   *
   * @return completed on a thread for user code when all nodes have answered, but after two seconds
   *     with what there is by then ({@link CacheReport#missingNodes}). Completed exceptionally with
   *     an {@link dev.headrace.api.error.UnavailableException} if the node's part of the cluster
   *     must not go on alone, and with a {@link dev.headrace.api.error.NodeClosedException} if the
   *     node is closed meanwhile
   */
  CompletableFuture<CacheReport> caches();

  /**
   * Removes a cache: its entries, as {@link Cache#clear} does, and then on all nodes what is known
   * of it. {@link #caches} no longer lists it, and a cache of other formats may be opened under its
   * name. Who still has it open may go on, and creates it anew with the next write; so no program
   * should write to it meanwhile.
   *
   * @param cache the name of a cache that {@link #caches} lists
   * @return completed on a thread for user code when all nodes have forgotten it. Completed
   *     exceptionally with a {@link dev.headrace.api.error.HeadraceException} if there is no such
   *     cache, or somebody goes on writing to it until the operation timeout has passed; with an
   *     {@link dev.headrace.api.error.UnavailableException}, before anything is removed, while some
   *     node of the cluster is of a release that does not know how; and with an {@link
   *     dev.headrace.api.error.OutcomeUnknownException} if a node does not answer within the
   *     operation timeout: the cache is empty then, and can be removed again
   */
  CompletableFuture<@Nullable Void> destroy(String cache);

  /**
   * Compares the replicas of all caches and repairs what differs; see {@link #repair(Set,
   * Consumer)}.
   *
   * @return as there
   */
  default CompletableFuture<RepairReport> repair() {
    return repair(Set.of(), progress -> {});
  }

  /**
   * Makes the primary of every segment compare its entries with those of the backups, and repair
   * what differs on a backup. Reads, writes and streams go on meanwhile. Every cluster does this by
   * itself once in {@link NodeSettings#repairInterval}.
   *
   * @param caches the names of the caches; none for all
   * @param progress is told now and then how far it is, on a thread for user code
   * @return completed when all segments have been compared, or when nothing has gone forward for
   *     some seconds: then the report is not {@linkplain RepairReport#complete complete}. Completed
   *     exceptionally if this node is closed
   */
  CompletableFuture<RepairReport> repair(Set<String> caches, Consumer<RepairReport> progress);

  /**
   * Decides that what some segments hold is gone: those of them that wait for nodes which cannot be
   * reached begin anew and empty, and streams that have not read them to their end fail. It cannot
   * be taken back: if those nodes come back, what they have of these segments is dropped. Segments
   * that do not wait are left alone, and so are those whose owners change meanwhile: what comes
   * back and waits again later has to be given up again.
   *
   * @param segments numbers of segments; {@link ClusterStatus#absent} tells which wait, and for
   *     whom
   * @return completed with the segments that have begun anew, when none of the others waits any
   *     more or after some seconds; completed exceptionally if this node is closed
   * @see NodeSettings#lostSegments
   */
  CompletableFuture<Set<Integer>> giveUp(Set<Integer> segments);

  /**
   * Leaves the cluster and releases everything. Other nodes take over this node's segments first;
   * this method waits for that while segments move, and gives up when the cluster has moved nothing
   * for some seconds. Idempotent: of several calls each returns when the node is closed.
   */
  @Override
  void close();

  /**
   * As {@link #close()}, but waits no longer than a limit for other nodes to take over. Segments
   * that have not moved by then are left to their other owners; one without other owners is lost.
   *
   * @param limit zero for not at all
   * @throws IllegalArgumentException if the limit is negative
   */
  void close(Duration limit);
}
