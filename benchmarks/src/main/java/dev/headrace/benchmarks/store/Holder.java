package dev.headrace.benchmarks.store;

/** Something that holds encoded entries on one node. For one thread. */
interface Holder {

  /** The segment store. */
  String STORE = "store";

  /** A concurrent map. */
  String MAP = "map";

  /** Makes the holder of this name, {@code store} or {@code map}. */
  static Holder of(String name) {
    return switch (name) {
      case STORE -> new StoreHolder();
      case MAP -> new MapHolder();
      default -> throw new IllegalArgumentException("There is no holder called " + name);
    };
  }

  /** Encodes and stores an entry. */
  void put(String key, byte[] value);

  /** Looks up and decodes a value; the entry is there. */
  byte[] get(String key);

  /**
   * Copies all entries, encoded, into a reused direct buffer.
   *
   * @return the number of entries
   */
  long scan();

  /** Puts everything in its best order, if that means anything. */
  void compact();

  /** The heap that the entries take by the holder's own account; 0 if it keeps none. */
  long accountedBytes();
}
