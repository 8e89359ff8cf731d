package dev.headrace.benchmarks.peer.infinispan;

import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.infinispan.InfinispanTrades.Price;
import java.io.IOException;
import org.infinispan.protostream.FileDescriptorSource;
import org.infinispan.protostream.ProtobufTagMarshaller;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;
import org.infinispan.protostream.TagReader;
import org.infinispan.protostream.TagWriter;
import org.infinispan.protostream.descriptors.WireType;

/**
 * Trades and prices as messages of ProtoStream, the marshaller that Infinispan recommends. Written
 * by hand as its annotation processor would generate it.
 */
public final class TradesSchema implements SerializationContextInitializer {
  private static final String FILE = "trades.proto";

  private static final String SCHEMA =
      """
      syntax = "proto3";
      package trades;
      message Trade {
        string symbol = 1;
        double price = 2;
        int32 quantity = 3;
        string note = 4;
      }
      message Price {
        string symbol = 1;
        double price = 2;
      }
      """;

  private static final int SYMBOL = 1;
  private static final int PRICE = 2;
  private static final int QUANTITY = 3;
  private static final int NOTE = 4;
  private static final int BITS = WireType.TAG_TYPE_NUM_BITS;
  private static final int SYMBOL_TAG = SYMBOL << BITS | WireType.WIRETYPE_LENGTH_DELIMITED;
  private static final int PRICE_TAG = PRICE << BITS | WireType.WIRETYPE_FIXED64;
  private static final int QUANTITY_TAG = QUANTITY << BITS | WireType.WIRETYPE_VARINT;
  private static final int NOTE_TAG = NOTE << BITS | WireType.WIRETYPE_LENGTH_DELIMITED;

  @Override
  public void registerSchema(SerializationContext context) {
    context.registerProtoFiles(FileDescriptorSource.fromString(FILE, SCHEMA));
  }

  @Override
  public void registerMarshallers(SerializationContext context) {
    context.registerMarshaller(new Trades());
    context.registerMarshaller(new Prices());
  }

  private static final class Trades implements ProtobufTagMarshaller<Trade> {
    @Override
    public Class<Trade> getJavaClass() {
      return Trade.class;
    }

    @Override
    public String getTypeName() {
      return "trades.Trade";
    }

    @Override
    public Trade read(ReadContext context) throws IOException {
      TagReader in = context.getReader();
      String symbol = "";
      double price = 0;
      int quantity = 0;
      String note = "";
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        switch (tag) {
          case SYMBOL_TAG -> symbol = in.readString();
          case PRICE_TAG -> price = in.readDouble();
          case QUANTITY_TAG -> quantity = in.readInt32();
          case NOTE_TAG -> note = in.readString();
          default -> in.skipField(tag);
        }
      }
      return new Trade(symbol, price, quantity, note);
    }

    @Override
    public void write(WriteContext context, Trade trade) throws IOException {
      TagWriter out = context.getWriter();
      out.writeString(SYMBOL, trade.symbol());
      out.writeDouble(PRICE, trade.price());
      out.writeInt32(QUANTITY, trade.quantity());
      out.writeString(NOTE, trade.note());
    }
  }

  private static final class Prices implements ProtobufTagMarshaller<Price> {
    @Override
    public Class<Price> getJavaClass() {
      return Price.class;
    }

    @Override
    public String getTypeName() {
      return "trades.Price";
    }

    @Override
    public Price read(ReadContext context) throws IOException {
      TagReader in = context.getReader();
      String symbol = "";
      double price = 0;
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        switch (tag) {
          case SYMBOL_TAG -> symbol = in.readString();
          case PRICE_TAG -> price = in.readDouble();
          default -> in.skipField(tag);
        }
      }
      return new Price(symbol, price);
    }

    @Override
    public void write(WriteContext context, Price price) throws IOException {
      TagWriter out = context.getWriter();
      out.writeString(SYMBOL, price.symbol());
      out.writeDouble(PRICE, price.price());
    }
  }
}
