package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.stream.operator.Row;
import dev.headrace.stream.operator.OperatorCompiler.Part;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what a {@link RowWriter} wrote. Nobody writes rows by it. Immutable. */
public final class RowCodec implements Codec<Row> {

  private final List<String> names;
  private final List<Part> parts;

  /**
   * Reads rows of one part, which is not null.
   *
   * @param type what the part is
   */
  public static <R> Codec<R> ofPart(Part part, Class<R> type) {
    return new SinglePart<>(part, type);
  }

  private record SinglePart<R>(Part part, Class<R> type) implements Codec<R> {
    @Override
    public String format() {
      return "part " + part.codec().format();
    }

    @Override
    public void encode(R value, ByteOutput out) {
      throw new UnsupportedOperationException("rows are only read");
    }

    @Override
    public R decode(ByteInput in) {
      int sizePlusOne = in.readVarInt();
      ByteInput only = new ByteInput();
      byte[] bytes = in.readBytes(sizePlusOne - 1);
      only.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
      return type.cast(part.codec().decode(only));
    }
  }

  /**
   * @param names a name for each part
   */
  public RowCodec(List<String> names, List<Part> parts) {
    this.names = List.copyOf(names);
    this.parts = List.copyOf(parts);
  }

  @Override
  public String format() {
    return "row " + names;
  }

  @Override
  public void encode(Row value, ByteOutput out) {
    throw new UnsupportedOperationException("rows are only read");
  }

  @Override
  public Row decode(ByteInput in) {
    @Nullable Object[] values = new @Nullable Object[parts.size()];
    ByteInput part = new ByteInput();
    for (int i = 0; i < values.length; i++) {
      int sizePlusOne = in.readVarInt();
      if (sizePlusOne != 0) {
        part.reset(ByteBuffer.wrap(in.readBytes(sizePlusOne - 1)), 0, sizePlusOne - 1);
        values[i] = parts.get(i).codec().decode(part);
      }
    }
    return new Row(names, values);
  }
}
