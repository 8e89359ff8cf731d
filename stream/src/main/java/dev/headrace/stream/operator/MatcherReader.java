package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.CodecLayout.Scalar;
import dev.headrace.api.stream.operator.EntryCondition.Relation;
import java.util.Arrays;

/**
 * Reads a filter and checks it.
 *
 * <pre>
 * 1 ALL, 2 ANY  number of conditions, then these
 * 3 NOT         condition
 * 4 COMPARE     {@link Path}, relation, constant
 * 5 IN          {@link Path}, number of constants, then these
 * 6 PREFIX      {@link Path}, sized bytes
 * 7 ABSENT      {@link Path}
 * 8 UNWRITTEN   {@link Path} to an added component
 * </pre>
 *
 * A constant is a long or the bits of a double in 8 bytes; an instant in 12 bytes; a version as two
 * numbers of variable size; anything else as sized bytes.
 */
final class MatcherReader {

  static final int ALL = 1;
  static final int ANY = 2;
  static final int NOT = 3;
  static final int COMPARE = 4;
  static final int IN = 5;
  static final int PREFIX = 6;
  static final int ABSENT = 7;
  static final int UNWRITTEN = 8;

  static final int MAX_DEPTH = 64;
  static final int MAX_STEPS = 1 << 14;

  private static final Relation[] RELATIONS = Relation.values();

  private final ByteInput in;
  private int depth;
  private int steps;

  MatcherReader(ByteInput in) {
    this.in = in;
  }

  /** How many steps it takes to evaluate what was read, about. */
  int steps() {
    return steps;
  }

  Matcher read() {
    Path.require(++depth <= MAX_DEPTH, "conditions lie deeper than " + MAX_DEPTH);
    int code = in.readByte();
    step(1);
    Matcher matcher =
        switch (code) {
          case ALL -> new Matcher.Several(readParts(), true);
          case ANY -> new Matcher.Several(readParts(), false);
          case NOT -> new Matcher.Not(read());
          case COMPARE -> readComparison();
          case IN -> readMembership();
          case PREFIX -> new Matcher.Prefix(readPathOfBytes(), readSized());
          case ABSENT -> new Matcher.Absent(readPath());
          case UNWRITTEN -> new Matcher.Unwritten(readPath());
          default -> throw new IllegalArgumentException("a program is damaged: code " + code);
        };
    depth--;
    return matcher;
  }

  private void step(int more) {
    steps += more;
    Path.require(steps <= MAX_STEPS, "it has more than " + MAX_STEPS + " steps");
  }

  private int count(int leastBytes) {
    int count = in.readVarInt();
    Path.require(count >= 0 && count <= in.remaining() / leastBytes, "a number is " + count);
    return count;
  }

  private Matcher[] readParts() {
    Matcher[] parts = new Matcher[count(2)];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = read();
    }
    return parts;
  }

  private Path readPath() {
    Path path = Path.read(in);
    step(path.cost());
    return path;
  }

  private Path readPathOfBytes() {
    Path path = readPath();
    Path.require(isBytes(path), "a prefix of what is neither text nor bytes");
    return path;
  }

  private static boolean isBytes(Path path) {
    return !path.isLong() && path.origin() != Path.Origin.VERSION && path.type().sizeBytes() == 0;
  }

  private byte[] readSized() {
    return in.readBytes(count(1));
  }

  private Matcher readComparison() {
    Path path = readPath();
    int code = in.readByte();
    Path.require(code >= 0 && code < RELATIONS.length, "a relation is " + code);
    Relation relation = RELATIONS[code];
    if (path.origin() == Path.Origin.VERSION) {
      return new Matcher.Version(relation, in.readVarLong(), in.readVarLong());
    } else if (path.isLong()) {
      return new Matcher.WholeNumber(path, relation, in.readLong());
    } else if (path.isDouble()) {
      return new Matcher.FloatingNumber(path, relation, in.readDouble());
    } else if (path.type() == Scalar.INSTANT) {
      return new Matcher.Moment(path, relation, in.readLong(), in.readInt());
    }
    return new Matcher.Bytes(path, relation, readSized());
  }

  private Matcher readMembership() {
    Path path = readPath();
    if (path.isLong()) {
      long[] constants = new long[count(Long.BYTES)];
      for (int i = 0; i < constants.length; i++) {
        constants[i] = in.readLong();
      }
      Arrays.sort(constants);
      return new Matcher.AmongNumbers(path, constants);
    }
    Path.require(
        !path.isDouble() && path.type() != Scalar.INSTANT && path.origin() != Path.Origin.VERSION,
        "a set of what has no set");
    byte[][] constants = new byte[count(1)][];
    for (int i = 0; i < constants.length; i++) {
      constants[i] = readSized();
    }
    Arrays.sort(constants, Arrays::compareUnsigned);
    return new Matcher.AmongBytes(path, constants);
  }
}
