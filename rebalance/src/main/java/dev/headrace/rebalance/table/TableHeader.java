package dev.headrace.rebalance.table;

import dev.headrace.api.error.WireException;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.stream.Ownership;
import java.nio.ByteBuffer;

/**
 * What identifies a table without its owners.
 *
 * @param epoch the table's version
 * @param clusterId drawn when the cluster was founded: tables of different clusters have nothing to
 *     do with each other
 * @param firstWrite drawn when the cluster took its first write, 0 before: tables of different
 *     first writes describe different data
 * @param hashSeed the seed of the keys' hashes
 * @param segments number of segments
 * @param configuredOwners replicas each segment should have
 * @param maxEntryBytes the largest sum of an encoded key and value that owners take
 * @param placement the name of what gives segments to nodes
 * @param protocol the version of the protocol that all members know; what depends on it may be used
 *     by all
 */
public record TableHeader(
    long epoch,
    long clusterId,
    long firstWrite,
    long hashSeed,
    int segments,
    int configuredOwners,
    int maxEntryBytes,
    String placement,
    int protocol) {
  /** The greatest number of segments. */
  public static final int MAX_SEGMENTS = 1 << 20;

  /** The name of the placement of clusters that choose none. */
  public static final String DEFAULT_PLACEMENT = SegmentPlacement.LEVELLED_RENDEZVOUS.name();

  private static final int NUMBERS_BYTES = 4 * 8 + 3 * 4 + 1;
  private static final int MAX_PLACEMENT_CHARS = 255;

  public TableHeader {
    if (epoch < 0) {
      throw new IllegalArgumentException("No epoch: " + epoch);
    }
    if (segments < 1 || segments > MAX_SEGMENTS) {
      throw new IllegalArgumentException("No number of segments: " + segments);
    }
    if (configuredOwners < 1) {
      throw new IllegalArgumentException("No number of owners: " + configuredOwners);
    }
    if (maxEntryBytes < 1) {
      throw new IllegalArgumentException("No size of entries: " + maxEntryBytes);
    }
    if (placement.isEmpty() || placement.length() > MAX_PLACEMENT_CHARS) {
      throw new IllegalArgumentException("No name of a placement: \"" + placement + '"');
    }
    if (protocol < 1 || protocol > Byte.MAX_VALUE) {
      throw new IllegalArgumentException("No version of a protocol: " + protocol);
    }
  }

  /** The header of a cluster whose members all know the newest version of this release. */
  public TableHeader(
      long epoch,
      long clusterId,
      long firstWrite,
      long hashSeed,
      int segments,
      int configuredOwners,
      int maxEntryBytes,
      String placement) {
    this(
        epoch,
        clusterId,
        firstWrite,
        hashSeed,
        segments,
        configuredOwners,
        maxEntryBytes,
        placement,
        ProtocolVersions.OWN.newest());
  }

  /** The same with the default placement. */
  public TableHeader(
      long epoch,
      long clusterId,
      long firstWrite,
      long hashSeed,
      int segments,
      int configuredOwners,
      int maxEntryBytes) {
    this(
        epoch,
        clusterId,
        firstWrite,
        hashSeed,
        segments,
        configuredOwners,
        maxEntryBytes,
        DEFAULT_PLACEMENT);
  }

  /** Whether the cluster may hold data, so that owners are no longer placed freely. */
  public boolean written() {
    return firstWrite != 0;
  }

  public TableHeader at(long newEpoch) {
    return written(newEpoch, firstWrite);
  }

  public TableHeader speaking(int newProtocol) {
    return new TableHeader(
        epoch,
        clusterId,
        firstWrite,
        hashSeed,
        segments,
        configuredOwners,
        maxEntryBytes,
        placement,
        newProtocol);
  }

  public TableHeader written(long newEpoch, long newFirstWrite) {
    return new TableHeader(
        newEpoch,
        clusterId,
        newFirstWrite,
        hashSeed,
        segments,
        configuredOwners,
        maxEntryBytes,
        placement,
        protocol);
  }

  public int encodedBytes() {
    return NUMBERS_BYTES + Text.encodedBytes(placement);
  }

  public void encode(ByteBuffer out) {
    out.putLong(epoch).putLong(clusterId).putLong(firstWrite).putLong(hashSeed);
    out.putInt(segments).putInt(configuredOwners).putInt(maxEntryBytes);
    Text.encode(placement, out);
    out.put((byte) protocol);
  }

  public static TableHeader decode(ByteBuffer in) {
    if (in.remaining() < NUMBERS_BYTES) {
      throw new WireException("A table's header is cut off: " + in.remaining() + " bytes are left");
    }
    try {
      return new TableHeader(
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getInt(),
          in.getInt(),
          in.getInt(),
          Text.decode(in),
          protocol(in));
    } catch (IllegalArgumentException e) {
      throw new WireException("A table's header is damaged: " + e.getMessage(), e);
    }
  }

  private static int protocol(ByteBuffer in) {
    if (!in.hasRemaining()) {
      throw new WireException("A table's header is cut off before its protocol's version");
    }
    return in.get();
  }

  /** For people: cluster, first write and epoch with the mark of its coordinator. */
  @Override
  public String toString() {
    long mark = (epoch & ((1L << Ownership.EPOCH_NUMBER_BITS) - 1)) >>> 20;
    return "cluster %08x, %s, epoch %s of %05x"
        .formatted(
            clusterId >>> 32,
            written() ? "first write %08x".formatted(firstWrite >>> 32) : "unwritten",
            Epoch.toString(epoch),
            mark);
  }
}
