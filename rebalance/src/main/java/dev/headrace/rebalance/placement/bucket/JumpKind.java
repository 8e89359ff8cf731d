package dev.headrace.rebalance.placement.bucket;

import com.dynatrace.hash4j.consistent.ConsistentBucketHasher;
import com.dynatrace.hash4j.consistent.ConsistentHashing;
import com.dynatrace.hash4j.random.PseudoRandomGeneratorProvider;
import java.util.function.Supplier;

/** A hash that finds one of n buckets, and moves only what must move when n grows. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum JumpKind {
  /**
   * Jump hashing, in steps that grow with the logarithm of the buckets.
   *
   * <p>Source: Lamping and Veach, "A fast, minimal memory, consistent hash algorithm", 2014.
   */
  JUMP("jump", () -> ConsistentHashing.jumpHash(PseudoRandomGeneratorProvider.splitMix64_V1())),

  /**
   * JumpBackHash, in constant expected time without floating-point numbers.
   *
   * <p>Source: Ertl, "JumpBackHash: say goodbye to the modulo operation to distribute keys
   * uniformly to buckets", 2024.
   */
  JUMP_BACK("jump-back", ConsistentHashing::jumpBackHashXorshiftL7R9);

  private final String label;
  private final Supplier<ConsistentBucketHasher> hashers;

  JumpKind(String label, Supplier<ConsistentBucketHasher> hashers) {
    this.label = label;
    this.hashers = hashers;
  }

  /** A hasher for one thread. */
  ConsistentBucketHasher newHasher() {
    return hashers.get();
  }

  @Override
  public String toString() {
    return label;
  }
}
