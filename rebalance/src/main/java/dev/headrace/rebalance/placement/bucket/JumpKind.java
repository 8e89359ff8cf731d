package dev.headrace.rebalance.placement.bucket;

import com.dynatrace.hash4j.consistent.ConsistentBucketHasher;
import com.dynatrace.hash4j.consistent.ConsistentHashing;
import com.dynatrace.hash4j.random.PseudoRandomGeneratorProvider;

/** A hash that finds one of n buckets, and moves only what must move when n grows. */
public enum JumpKind {

  /**
   * Jump hashing, in steps that grow with the logarithm of the buckets.
   *
   * <p>Source: Lamping and Veach, "A fast, minimal memory, consistent hash algorithm", 2014.
   */
  JUMP("jump") {
    @Override
    ConsistentBucketHasher newHasher() {
      return ConsistentHashing.jumpHash(PseudoRandomGeneratorProvider.splitMix64_V1());
    }
  },

  /**
   * JumpBackHash, in constant expected time without floating-point numbers.
   *
   * <p>Source: Ertl, "JumpBackHash: say goodbye to the modulo operation to distribute keys
   * uniformly to buckets", 2024.
   */
  JUMP_BACK("jump-back") {
    @Override
    ConsistentBucketHasher newHasher() {
      return ConsistentHashing.jumpBackHashXorshiftL7R9();
    }
  };

  private final String label;

  JumpKind(String label) {
    this.label = label;
  }

  /** A hasher for one thread. */
  abstract ConsistentBucketHasher newHasher();

  /** The name by which people know it. */
  @Override
  public String toString() {
    return label;
  }
}
