package dev.headrace.api.codec;

import dev.headrace.api.error.CodecException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Records as they are now, in the bytes of another format of theirs: the components of that format
 * in its order, then those {@link AddedComponents} that it does not have.
 *
 * <p>A component that only the format has is written as null, empty or zero, and left out when it
 * is read. One that only the record has is not written if it is its default, so that a value that
 * was read has the bytes again that it had.
 */
final class EvolvedRecordCodec<R> implements Codec<R> {
  private static final byte[] NULL = {0};
  private static final byte[] EMPTY = {1, 0};
  private static final byte[] EMPTY_OPTIONAL = {1, 1, 0};

  /** More formats of an added component than these are taken apart each time. */
  private static final int MAX_KEPT = 64;

  private final RecordCodec<R> own;
  private final String format;
  private final String name;
  private final List<Slot> slots;
  private final List<Added> added;
  private final Map<String, Added> addedByName = new HashMap<>();

  /**
   * A component of the format.
   *
   * @param index which component of the record it is, or -1 if the record has it no more
   * @param absent what is written for a component that the record has no more
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Slot(String name, int index, Element element, byte[] absent) {}

  /**
   * A component that the format does not have.
   *
   * @param head its name and format
   * @param absent its default as it would be written behind them
   * @param others codecs for formats in which others have written it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Added(
      int index,
      String name,
      Codec<Object> codec,
      byte[] head,
      byte[] absent,
      Map<String, Codec<Object>> others) {}

  /**
   * @param where the component that these records are of; empty for a whole value
   * @throws CodecException names a component that differs in more than its place
   */
  EvolvedRecordCodec(RecordCodec<R> own, StoredFormat stored, String where) {
    this.own = own;
    this.format = stored.text();
    this.name = stored.name();
    Map<String, Integer> indexes = new HashMap<>();
    for (int i = 0; i < own.count(); i++) {
      indexes.put(own.name(i), i);
    }
    List<Slot> found = new ArrayList<>();
    for (StoredFormat.Part part : stored.parts()) {
      Integer index = indexes.remove(part.name());
      found.add(index == null ? removed(part) : slot(own, index, part, where));
    }
    slots = List.copyOf(found);
    added =
        indexes.values().stream()
            .map(index -> added(own, index))
            .sorted(Comparator.comparing(Added::name))
            .toList();
    added.forEach(each -> addedByName.put(each.name(), each));
  }

  private static Slot slot(RecordCodec<?> own, int index, StoredFormat.Part part, String where) {
    String path = where.isEmpty() ? part.name() : where + "." + part.name();
    Element element = own.element(index);
    String present = own.formatOf(index);
    if (present.endsWith("?") != part.nullable()) {
      throw Evolution.difference(path, part.text(), present);
    }
    Codec<?> codec = Evolution.of(element.codec(), part.format(), path);
    boolean same = codec == element.codec();
    Element read = same ? element : Element.of(codec, element.nullable());
    return new Slot(part.name(), index, read, NULL);
  }

  private static Slot removed(StoredFormat.Part part) {
    Codec<?> codec = Codecs.encoded(part.format().text());
    int sizeBytes = Element.of(codec, false).sizeBytes();
    boolean nullable = part.nullable() || sizeBytes == 0;
    byte[] absent =
        switch (part.format().kind()) {
          case "list", "set", "map", "array" -> EMPTY;
          case "optional" -> EMPTY_OPTIONAL;
          default -> nullable ? NULL : new byte[sizeBytes];
        };
    return new Slot(part.name(), -1, Element.of(codec, nullable), absent);
  }

  private static Added added(RecordCodec<?> own, int index) {
    Codec<Object> codec = own.element(index).codec();
    ByteOutput absent = new ByteOutput();
    writeValue(codec, own.absent(index), absent);
    return new Added(
        index,
        own.name(index),
        codec,
        AddedComponents.head(own.name(index), codec.format()),
        absent.toByteArray(),
        new ConcurrentHashMap<>());
  }

  private static void writeValue(Codec<Object> codec, @Nullable Object value, ByteOutput out) {
    out.writeByte(value == null ? 0 : 1);
    if (value != null) {
      out.writeSized(codec, value);
    }
  }

  @Override
  public String format() {
    return format;
  }

  /** The components of the format, and those that were added. */
  CodecLayout layout() {
    List<CodecLayout.Component> layouts = new ArrayList<>();
    for (Slot slot : slots) {
      Class<?> type = slot.index() < 0 ? byte[].class : own.type(slot.index());
      Element element = slot.element();
      layouts.add(
          new CodecLayout.Component(slot.name(), element.nullable(), type, element.codec()));
    }
    return new CodecLayout.Composite(name, layouts, added.stream().map(this::layout).toList());
  }

  private CodecLayout.Added layout(Added each) {
    Class<?> type = own.type(each.index());
    ByteInput in = ByteInput.of(each.absent());
    byte[] absent = Element.isPresent(in) ? in.readBytes(in.readVarInt()) : null;
    return new CodecLayout.Added(
        new CodecLayout.Component(each.name(), !type.isPrimitive(), type, each.codec()),
        each.head(),
        absent);
  }

  @Override
  public void encode(R value, ByteOutput out) {
    own.requireOwn(value);
    for (Slot slot : slots) {
      if (slot.index() < 0) {
        out.writeBytes(slot.absent());
      } else {
        slot.element().write(own.get(slot.index(), value), out, format);
      }
    }
    for (Added each : added) {
      int start = out.size();
      out.writeBytes(each.head());
      int behindHead = out.size();
      writeValue(each.codec(), own.get(each.index(), value), out);
      byte[] absent = each.absent();
      if (Arrays.equals(out.array(), behindHead, out.size(), absent, 0, absent.length)) {
        out.back(start);
      }
    }
  }

  @Override
  public R decode(ByteInput in) {
    @Nullable Object[] parts = new @Nullable Object[own.count()];
    for (Slot slot : slots) {
      if (slot.index() < 0) {
        slot.element().skip(in);
      } else {
        parts[slot.index()] = own.read(slot.index(), slot.element(), in);
      }
    }
    boolean[] found = new boolean[parts.length];
    if (in.remaining() > 0) {
      AddedComponents.read(
          in,
          format,
          (component, written, present, bytes) -> {
            Added known = addedByName.get(component);
            if (known == null) {
              bytes.skip(bytes.remaining());
            } else if (present) {
              parts[known.index()] = codec(known, written).decode(bytes);
              found[known.index()] = true;
            } else {
              found[known.index()] = !own.type(known.index()).isPrimitive();
            }
          });
    }
    for (Added each : added) {
      if (!found[each.index()]) {
        ByteInput absent = ByteInput.of(each.absent());
        parts[each.index()] = Element.isPresent(absent) ? absent.readSized(each.codec()) : null;
      }
    }
    return own.make(parts);
  }

  /** The codec for an added component as somebody has written it. */
  @SuppressWarnings("unchecked") // a codec of the same values
  private static Codec<Object> codec(Added known, String written) {
    if (written.equals(known.codec().format())) {
      return known.codec();
    }
    Codec<Object> kept = known.others().get(written);
    if (kept == null) {
      kept = (Codec<Object>) Evolution.of(known.codec(), StoredFormat.of(written), known.name());
      if (known.others().size() < MAX_KEPT) {
        known.others().put(written, kept);
      }
    }
    return kept;
  }
}
