package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.CodecLayout;
import dev.headrace.api.codec.CodecLayout.Component;
import dev.headrace.api.codec.CodecLayout.Composite;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.Expressions;
import dev.headrace.stream.operator.OperatorCompiler.Part;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what a {@link RowWriter} wrote as a record: puts the parts together as the record's codec
 * would have written them, and has it read that. Nobody writes by it. Immutable.
 *
 * @param <R> the record
 */
public final class RecordRowCodec<R extends Record> implements Codec<R> {

  private final Codec<R> codec;
  private final List<Component> components;
  private final List<Part> parts;

  /**
   * Finds the record's components in the values of a cache.
   *
   * @throws IllegalArgumentException if one is not there, or has another type
   */
  public RecordRowCodec(Class<R> type, OperatorCompiler compiler) {
    codec = Codecs.record(type);
    components =
        CodecLayout.of(codec) instanceof Composite composite ? composite.components() : List.of();
    List<Part> found = new ArrayList<>();
    for (Component component : components) {
      Part part = compiler.decodable(Expressions.field(component.name()));
      boolean sameFormat = part.codec().format().equals(component.codec().format());
      if (!sameFormat || (part.nullable() && !component.nullable())) {
        throw new IllegalArgumentException(
            "Component \""
                + component.name()
                + "\" of "
                + type.getSimpleName()
                + " is a "
                + component.type().getSimpleName()
                + ", but in the cache's values it has the format \""
                + part.codec().format()
                + "\""
                + (part.nullable() ? " and may be null" : ""));
      }
      found.add(part);
    }
    parts = List.copyOf(found);
  }

  /** What to select for it. */
  public List<Part> parts() {
    return parts;
  }

  @Override
  public String format() {
    return codec.format();
  }

  @Override
  public void encode(R value, ByteOutput out) {
    throw new UnsupportedOperationException("rows are only read");
  }

  @Override
  public R decode(ByteInput in) {
    ByteOutput out = new ByteOutput(in.remaining() + components.size());
    for (Component component : components) {
      int sizePlusOne = in.readVarInt();
      if (component.nullable()) {
        out.writeByte(sizePlusOne == 0 ? 0 : 1);
      }
      if (sizePlusOne == 0) {
        continue;
      }
      if (component.sizeBytes() == 0) {
        out.writeVarInt(sizePlusOne - 1);
      }
      out.writeBytes(in.readBytes(sizePlusOne - 1));
    }
    ByteInput record = new ByteInput();
    record.reset(ByteBuffer.wrap(out.array()), 0, out.size());
    return codec.decode(record);
  }
}
