package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.CodecLayout;
import dev.headrace.api.codec.CodecLayout.Added;
import dev.headrace.api.codec.CodecLayout.Component;
import dev.headrace.api.codec.CodecLayout.Composite;
import dev.headrace.api.codec.CodecLayout.Scalar;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.EntryCondition.Relation;
import dev.headrace.api.stream.operator.Operand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns conditions, selections and reductions into programs, by the codecs of a cache. Checks all
 * names and types, with messages for the user. Immutable.
 */
public final class OperatorCompiler {

  private final Codec<?> keyCodec;
  private final Codec<?> valueCodec;

  /** Compiles for a cache with these codecs. */
  public OperatorCompiler(Codec<?> keyCodec, Codec<?> valueCodec) {
    this.keyCodec = keyCodec;
    this.valueCodec = valueCodec;
  }

  /**
   * A part of an entry as it was found in a codec.
   *
   * @param codec decodes it
   * @param type what it is in Java; null if that is only known to the codec
   */
  public record Part(Path path, Codec<?> codec, @Nullable Class<?> type, boolean nullable) {}

  /**
   * Checks a condition.
   *
   * @throws IllegalArgumentException if it names what does not exist, or compares what cannot be
   *     compared
   */
  public void check(EntryChoice choice) {
    Operators.load(compile(choice));
  }

  /** A program that chooses entries. */
  public byte[] compile(EntryChoice choice) {
    ByteOutput out = begin(choice);
    out.writeByte(Operators.ENTRIES);
    return end(out);
  }

  /** A program that chooses entries and answers parts of them. */
  public byte[] compileRows(EntryChoice choice, List<Part> parts) {
    if (parts.isEmpty() || parts.size() > Operators.MAX_PARTS) {
      throw new IllegalArgumentException(
          "A selection has 1 to " + Operators.MAX_PARTS + " parts, but this one " + parts.size());
    }
    ByteOutput out = begin(choice);
    out.writeByte(Operators.ROWS);
    out.writeByte(parts.size());
    parts.forEach(part -> part.path().write(out));
    return end(out);
  }

  /**
   * A program that chooses entries, counts them and adds up numbers.
   *
   * @param group by whose values there are groups; null for one total
   * @param number what is added up; null if entries are only counted
   */
  public byte[] compileReduction(EntryChoice choice, @Nullable Part group, @Nullable Part number) {
    ByteOutput out = begin(choice);
    out.writeByte(Operators.REDUCTION);
    writeOptional(group, out);
    writeOptional(number, out);
    return end(out);
  }

  /** A program that chooses entries and calls a function for them. */
  public byte[] compileCall(EntryChoice choice, FunctionCall call) {
    ByteOutput out = begin(choice);
    out.writeByte(Operators.CALL);
    call.write(out);
    return end(out);
  }

  private static void writeOptional(@Nullable Part part, ByteOutput out) {
    out.writeByte(part == null ? 0 : 1);
    if (part != null) {
      part.path().write(out);
    }
  }

  private ByteOutput begin(EntryChoice choice) {
    ByteOutput out = new ByteOutput();
    EntryCondition condition = choice.condition();
    boolean added = condition != null && looksAtAdded(condition);
    out.writeByte(added ? Operators.ADDED_VERSION : Operators.VERSION);
    out.writeByte(condition == null ? 0 : 1);
    if (condition != null) {
      write(condition, out, 1);
    }
    out.writeByte(choice.calls().size());
    choice.calls().forEach(call -> call.write(out));
    return out;
  }

  private static byte[] end(ByteOutput out) {
    if (out.size() > Operators.MAX_BYTES) {
      throw new IllegalArgumentException(
          "A stream's operators have "
              + out.size()
              + " bytes, but "
              + Operators.MAX_BYTES
              + " are the limit: use fewer or shorter constants and arguments, or several streams");
    }
    return out.toByteArray();
  }

  private void write(EntryCondition condition, ByteOutput out, int depth) {
    if (depth > MatcherReader.MAX_DEPTH) {
      throw new IllegalArgumentException(
          "Conditions lie more than "
              + MatcherReader.MAX_DEPTH
              + " deep in each other: use Expressions.all and any for long lists");
    }
    if (condition instanceof EntryCondition.All all) {
      writeAll(MatcherReader.ALL, all.conditions(), out, depth);
    } else if (condition instanceof EntryCondition.Any any) {
      writeAll(MatcherReader.ANY, any.conditions(), out, depth);
    } else if (condition instanceof EntryCondition.Negation negation) {
      out.writeByte(MatcherReader.NOT);
      write(negation.condition(), out, depth + 1);
    } else {
      writeLeaf(condition, out, depth);
    }
  }

  private boolean looksAtAdded(EntryCondition condition) {
    if (condition instanceof EntryCondition.All all) {
      return all.conditions().stream().anyMatch(this::looksAtAdded);
    } else if (condition instanceof EntryCondition.Any any) {
      return any.conditions().stream().anyMatch(this::looksAtAdded);
    } else if (condition instanceof EntryCondition.Negation negation) {
      return looksAtAdded(negation.condition());
    }
    return added(operand(condition)) != null;
  }

  /** The part that a condition without others in it looks at. */
  private static Operand operand(EntryCondition leaf) {
    if (leaf instanceof EntryCondition.Absence absence) {
      return absence.operand();
    } else if (leaf instanceof EntryCondition.Prefix prefix) {
      return prefix.operand();
    } else if (leaf instanceof EntryCondition.Membership membership) {
      return membership.operand();
    }
    return ((EntryCondition.Comparison) leaf).operand();
  }

  /** The same condition on a whole value. */
  private static EntryCondition onValue(EntryCondition leaf) {
    Operand value = new Operand(Operand.Source.VALUE, List.of(), operand(leaf).length());
    if (leaf instanceof EntryCondition.Prefix prefix) {
      return new EntryCondition.Prefix(value, prefix.prefix());
    } else if (leaf instanceof EntryCondition.Membership membership) {
      return new EntryCondition.Membership(value, membership.constants());
    } else if (leaf instanceof EntryCondition.Comparison comparison) {
      return new EntryCondition.Comparison(value, comparison.relation(), comparison.constant());
    }
    return new EntryCondition.Absence(value);
  }

  /**
   * Writes a condition on one part. Of an added component it is known here what it says of the
   * default, so that nodes need not know that.
   */
  private void writeLeaf(EntryCondition leaf, ByteOutput out, int depth) {
    Added added = added(operand(leaf));
    ByteOutput plain = new ByteOutput();
    writePlain(leaf, plain, depth);
    boolean absence = leaf instanceof EntryCondition.Absence;
    // A default that is null is not found in the value, as any null.
    byte[] absent = added == null ? null : added.absent();
    boolean accepts = added != null && absent != null && accepts(leaf, added, absent);
    if (absent != null && (absence || accepts)) {
      out.writeByte(absence ? MatcherReader.ALL : MatcherReader.ANY);
      out.writeVarInt(2);
      if (absence) {
        out.writeByte(MatcherReader.NOT);
      }
      out.writeByte(MatcherReader.UNWRITTEN);
      anyPart(operand(leaf)).path().write(out);
    }
    out.writeBytes(plain.array(), 0, plain.size());
  }

  /** Whether a condition accepts the default of the component that it looks at. */
  private static boolean accepts(EntryCondition leaf, Added added, byte[] absent) {
    ByteOutput program = new ByteOutput();
    new OperatorCompiler(Codecs.bytes(), added.component().codec())
        .write(onValue(leaf), program, 1);
    EntryFrame frame = new EntryFrame(() -> 0);
    frame.turnToValue(absent);
    return new MatcherReader(ByteInput.of(program.toByteArray())).read().matches(frame);
  }

  private void writePlain(EntryCondition condition, ByteOutput out, int depth) {
    if (condition instanceof EntryCondition.Absence absence) {
      out.writeByte(MatcherReader.ABSENT);
      anyPart(absence.operand()).path().write(out);
    } else if (condition instanceof EntryCondition.Prefix prefix) {
      writePrefix(prefix, out);
    } else if (condition instanceof EntryCondition.Comparison comparison) {
      writeComparison(comparison.operand(), comparison.relation(), comparison.constant(), out);
    } else if (condition instanceof EntryCondition.Membership membership) {
      writeMembership(membership, out, depth);
    }
  }

  private void writeAll(int code, List<EntryCondition> conditions, ByteOutput out, int depth) {
    out.writeByte(code);
    out.writeVarInt(conditions.size());
    conditions.forEach(each -> write(each, out, depth + 1));
  }

  private void writePrefix(EntryCondition.Prefix prefix, ByteOutput out) {
    Operand operand = prefix.operand();
    Part part = part(operand);
    Path path = part.path();
    if (orderOf(part) != null) {
      throw mismatch(operand, part, "cannot begin with", prefix.prefix());
    }
    boolean text = path.type() == Scalar.STRING && prefix.prefix() instanceof String;
    boolean bytes = path.type() == Scalar.BYTES && prefix.prefix() instanceof byte[];
    if (path.length() || !(text || bytes)) {
      throw Constants.mismatch(operand, path, "cannot begin with", prefix.prefix());
    }
    out.writeByte(MatcherReader.PREFIX);
    path.write(out);
    Constants.write(operand, path, prefix.prefix(), out);
  }

  private void writeComparison(
      Operand operand, Relation relation, Object constant, ByteOutput out) {
    Part part = part(operand);
    boolean ordered = part.path().length() || !Constants.isUnordered(part.path().type());
    if (!ordered && relation != Relation.EQUAL && relation != Relation.UNEQUAL) {
      throw new IllegalArgumentException(
          "\""
              + operand
              + "\" is a "
              + part.codec().format()
              + ", which has no order here: use eq, ne or in");
    }
    out.writeByte(MatcherReader.COMPARE);
    part.path().write(out);
    out.writeByte(Path.code(relation));
    Constants.write(operand, part.path(), constant(operand, part, constant), out);
  }

  /** What a constant is compared as: its bytes, if these have the order of the values. */
  private static Object constant(Operand operand, Part part, Object constant) {
    CodecLayout.Ordered ordered = orderOf(part);
    if (ordered == null) {
      return constant;
    } else if (!ordered.type().isInstance(constant)) {
      throw mismatch(operand, part, "cannot be compared with", constant);
    }
    return ordered.encode(constant);
  }

  private static CodecLayout.@Nullable Ordered orderOf(Part part) {
    boolean ofBytes = !part.path().length() && part.path().type() == Scalar.BYTES;
    return ofBytes && CodecLayout.of(part.codec()) instanceof CodecLayout.Ordered ordered
        ? ordered
        : null;
  }

  private static IllegalArgumentException mismatch(
      Operand operand, Part part, String what, Object constant) {
    return new IllegalArgumentException(
        "\"%s\" is a %s, which %s the %s %s"
            .formatted(
                operand,
                part.codec().format(),
                what,
                constant.getClass().getSimpleName(),
                constant));
  }

  private void writeMembership(EntryCondition.Membership membership, ByteOutput out, int depth) {
    Operand operand = membership.operand();
    Part part = part(operand);
    Path path = part.path();
    boolean alternatives =
        path.isDouble() || path.origin() == Path.Origin.VERSION || path.type() == Scalar.INSTANT;
    if (alternatives) {
      List<EntryCondition> each = new ArrayList<>();
      membership.constants().forEach(constant -> each.add(operand.eq(constant)));
      writeAll(MatcherReader.ANY, each, out, depth);
      return;
    }
    out.writeByte(MatcherReader.IN);
    path.write(out);
    out.writeVarInt(membership.constants().size());
    membership
        .constants()
        .forEach(each -> Constants.write(operand, path, constant(operand, part, each), out));
  }

  /**
   * Finds a part of entries that can be added up.
   *
   * @throws IllegalArgumentException if there is none, or it is no number
   */
  public Part number(Operand operand) {
    requireStored(operand);
    Part found = part(operand);
    boolean version = operand.source() == Operand.Source.VERSION;
    if (!version && (found.path().length() || found.path().type().isNumber())) {
      return found;
    }
    throw new IllegalArgumentException(
        "\"" + operand + "\" is a " + found.codec().format() + ", which is no number to add up");
  }

  /**
   * Finds a part of entries that can be decoded on its own.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Part decodable(Operand operand) {
    boolean stored =
        operand.source() == Operand.Source.KEY || operand.source() == Operand.Source.VALUE;
    if (!stored || operand.length()) {
      throw new IllegalArgumentException(
          "\"" + operand + "\" can be compared, but not selected: name a part of key or value");
    }
    requireStored(operand);
    return find(operand, true);
  }

  /**
   * Refuses a component that was added: only conditions know what it is where it is not written.
   */
  private void requireStored(Operand operand) {
    if (added(operand) != null) {
      throw new IllegalArgumentException(
          "\""
              + operand
              + "\" is a field that its record has got since the cache began: conditions find it,"
              + " but it is only selected or added up by decoding values: stream the values and"
              + " look at it there, or stream the cache into another one");
    }
  }

  /** The component that an operand names, if it was added to its record; else null. */
  private @Nullable Added added(Operand operand) {
    boolean key = operand.source() == Operand.Source.KEY;
    if (!key && operand.source() != Operand.Source.VALUE) {
      return null;
    }
    Codec<?> codec = key ? keyCodec : valueCodec;
    List<String> names = operand.path();
    for (int i = 0; i < names.size(); i++) {
      if (!(CodecLayout.of(codec) instanceof Composite record)) {
        return null;
      }
      Component component = record.component(names.get(i)).orElse(null);
      if (component == null) {
        return i == names.size() - 1 ? record.added(names.get(i)).orElse(null) : null;
      }
      codec = component.codec();
    }
    return null;
  }

  /** A part that need not be comparable. */
  private Part anyPart(Operand operand) {
    return operand.source() == Operand.Source.KEY || operand.source() == Operand.Source.VALUE
        ? find(operand, true)
        : part(operand);
  }

  private Part part(Operand operand) {
    return switch (operand.source()) {
      case VERSION -> virtual(Path.Origin.VERSION, Scalar.BYTES, EntryVersion.class);
      case LIFESPAN -> virtual(Path.Origin.LIFESPAN, Scalar.LONG, Duration.class);
      default -> find(operand, operand.length());
    };
  }

  private static Part virtual(Path.Origin origin, Scalar type, Class<?> java) {
    return new Part(new Path(origin, List.of(), false, type), Codecs.bytes(), java, false);
  }

  /**
   * @param whole whether it may also be a record or bytes of which nothing is known; a component
   *     that was added may not, since others may have written it in another form
   */
  private Part find(Operand operand, boolean whole) {
    boolean key = operand.source() == Operand.Source.KEY;
    Path.Origin origin = key ? Path.Origin.KEY : Path.Origin.VALUE;
    Codec<?> codec = key ? keyCodec : valueCodec;
    Class<?> type = null;
    boolean nullable = false;
    List<byte[]> hops = new ArrayList<>();
    Added added = added(operand);
    List<String> names = operand.path();
    for (String name : added == null ? names : names.subList(0, names.size() - 1)) {
      Component component = component(operand, codec, name, hops);
      codec = component.codec();
      type = component.type();
      nullable |= component.nullable();
    }
    AddedPart behind = added == null ? null : behind(operand, codec, added);
    if (added != null) {
      codec = added.component().codec();
      type = added.component().type();
      nullable |= added.component().nullable();
    }
    CodecLayout layout = CodecLayout.of(codec);
    Scalar scalar = layout instanceof Scalar found ? found : Scalar.BYTES;
    boolean compared = layout instanceof Scalar || layout instanceof CodecLayout.Ordered;
    if (!compared && (!whole || added != null)) {
      throw new IllegalArgumentException(
          "\""
              + operand
              + "\" has the format \""
              + codec.format()
              + "\" and cannot be compared as a whole"
              + (layout instanceof Composite record ? ". Its fields are " + names(record) : ""));
    }
    Path path = new Path(origin, hops, operand.length(), scalar, behind);
    return new Part(path, codec, type, nullable);
  }

  private static AddedPart behind(Operand operand, Codec<?> record, Added added) {
    List<Component> components =
        CodecLayout.of(record) instanceof Composite composite ? composite.components() : List.of();
    if (components.size() > Path.MAX_COMPONENTS) {
      throw tooFar(operand);
    }
    byte[] leftOut = new byte[components.size()];
    for (int i = 0; i < leftOut.length; i++) {
      leftOut[i] = step(components.get(i));
    }
    return new AddedPart(leftOut, added.head(), !added.component().nullable());
  }

  private static byte step(Component component) {
    int size = component.sizeBytes() == 0 ? Path.SIZED : component.sizeBytes();
    return (byte) (size | (component.nullable() ? Path.NULLABLE : 0));
  }

  private static IllegalArgumentException tooFar(Operand operand) {
    return new IllegalArgumentException("\"" + operand + "\" lies too deep or too far behind");
  }

  private static Component component(
      Operand operand, Codec<?> codec, String name, List<byte[]> hops) {
    if (!(CodecLayout.of(codec) instanceof Composite record)) {
      throw new IllegalArgumentException(
          "There is no field \""
              + operand
              + "\": "
              + codec.format()
              + " has no fields that are known. Only records with built-in codecs have");
    }
    List<Component> components = record.components();
    byte[] hop = new byte[components.size()];
    for (int i = 0; i < components.size(); i++) {
      Component each = components.get(i);
      hop[i] = step(each);
      if (each.name().equals(name)) {
        if (i >= Path.MAX_COMPONENTS || hops.size() == Path.MAX_HOPS) {
          throw tooFar(operand);
        }
        hops.add(Arrays.copyOf(hop, i + 1));
        return each;
      }
    }
    if (record.added(name).isPresent()) {
      throw new IllegalArgumentException(
          "\""
              + operand
              + "\" lies within a field that "
              + record.name()
              + " has got since the cache began, which is only found by decoding values: stream the"
              + " values and look at it there, or stream the cache into another one");
    }
    throw new IllegalArgumentException(
        "There is no field \""
            + operand
            + "\": the fields of "
            + record.name()
            + " are "
            + names(record));
  }

  private static String names(Composite record) {
    return record.components().stream()
        .map(each -> each.name() + " " + each.codec().format())
        .collect(Collectors.joining(", "));
  }
}
