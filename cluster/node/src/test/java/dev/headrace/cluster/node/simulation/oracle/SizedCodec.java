package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;

/**
 * Numbers that are stored in many sizes, from no byte at all to more than a node's share of a
 * stream.
 */
final class SizedCodec implements Codec<Integer> {
  /** At least what the largest entry takes, key and all. */
  static final int LARGEST_BYTES = 10_000;

  /** The number that takes no byte. */
  private static final int NOTHING = 64;

  private static final int RARE_BYTES = 9_000;
  private static final int SOMETIMES_BYTES = 300;

  @Override
  public String format() {
    return "sized number";
  }

  @Override
  public void encode(Integer value, ByteOutput out) {
    if (value == NOTHING) {
      return;
    }
    out.writeInt(value);
    out.writeBytes(new byte[paddingBytes(value)]);
  }

  private static int paddingBytes(int value) {
    if (value % 61 == 0) {
      return RARE_BYTES;
    }
    return value % 7 == 0 ? SOMETIMES_BYTES : 0;
  }

  @Override
  public Integer decode(ByteInput in) {
    if (in.remaining() == 0) {
      return NOTHING;
    }
    int value = in.readInt();
    if (in.remaining() != paddingBytes(value)) {
      throw new IllegalStateException("the value " + value + " has lost bytes");
    }
    return value;
  }
}
