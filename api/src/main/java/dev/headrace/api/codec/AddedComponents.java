package dev.headrace.api.codec;

/**
 * Components behind those of a record's format, which whoever wrote the value has added to the
 * record since. Each tells its name, its format, whether it is there (1) or null (0), and its bytes
 * behind their length, so that everybody can read it, or leave it out. They are in the order of
 * their names.
 */
final class AddedComponents {
  private static final int MAX_NAME_BYTES = 1 << 10;
  private static final int MAX_FORMAT_BYTES = 1 << 16;

  private AddedComponents() {}

  /** Takes what is read. */
  interface Reader {

    /**
     * A component.
     *
     * @param in its bytes and no more; empty if it is null
     * @param present whether it is there
     */
    void component(String name, String format, boolean present, ByteInput in);
  }

  /** What stands before the presence of a component. */
  static byte[] head(String name, String format) {
    ByteOutput out = new ByteOutput();
    out.writeSized(StringCodec.INSTANCE, name);
    out.writeSized(StringCodec.INSTANCE, format);
    return out.toByteArray();
  }

  /** Moves on behind all components that follow, without a look at their values. */
  static void skip(ByteInput in, String record) {
    read(in, record, (name, format, present, value) -> value.skip(value.remaining()));
  }

  /**
   * Reads all components that follow.
   *
   * @param record the format of the record, for messages
   * @throws IllegalArgumentException if what follows is something else
   */
  static void read(ByteInput in, String record, Reader reader) {
    int leftOver = in.remaining();
    String before = "";
    while (in.remaining() > 0) {
      String name;
      String format;
      int lengthBytes;
      boolean present;
      try {
        name = text(in, MAX_NAME_BYTES);
        format = text(in, MAX_FORMAT_BYTES);
        present = Element.isPresent(in);
        lengthBytes = present ? in.readVarInt() : 0;
        if (lengthBytes < 0 || lengthBytes > in.remaining() || name.compareTo(before) <= 0) {
          throw new IllegalArgumentException("\"" + name + "\" is too long or not in order");
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "%d bytes are left over after a value of format \"%s\", and are no added components"
                .formatted(leftOver, record),
            e);
      }
      before = name;
      in.readWithin(new Visit(reader, name, format, present), lengthBytes);
    }
  }

  private static String text(ByteInput in, int maxBytes) {
    int lengthBytes = in.readVarInt();
    if (lengthBytes < 1 || lengthBytes > maxBytes) {
      throw new IllegalArgumentException("A name or format has " + lengthBytes + " bytes");
    }
    return in.readUtf8(lengthBytes);
  }

  /** Lets a reader see the bytes of one component only. */
  private record Visit(Reader reader, String name, String format, boolean present)
      implements Codec<Boolean> {

    @Override
    public void encode(Boolean value, ByteOutput out) {
      throw new UnsupportedOperationException("components are only read by it");
    }

    @Override
    public Boolean decode(ByteInput in) {
      reader.component(name, format, present, in);
      return true;
    }
  }
}
