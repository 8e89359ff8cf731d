package dev.headrace.benchmarks.peer.coherence;

import com.tangosol.io.pof.PofReader;
import com.tangosol.io.pof.PofSerializer;
import com.tangosol.io.pof.PofWriter;
import dev.headrace.benchmarks.peer.Trade;
import java.io.IOException;

/** Trades in POF; named in {@code trades-pof-config.xml}. */
public final class TradeSerializer implements PofSerializer<Trade> {

  static final int SYMBOL = 0;
  static final int PRICE = 1;
  static final int QUANTITY = 2;
  static final int NOTE = 3;

  /** Coherence makes one for each member. */
  public TradeSerializer() {}

  @Override
  public void serialize(PofWriter out, Trade trade) throws IOException {
    out.writeString(SYMBOL, trade.symbol());
    out.writeDouble(PRICE, trade.price());
    out.writeInt(QUANTITY, trade.quantity());
    out.writeString(NOTE, trade.note());
    out.writeRemainder(null);
  }

  @Override
  public Trade deserialize(PofReader in) throws IOException {
    Trade trade =
        new Trade(
            in.readString(SYMBOL), in.readDouble(PRICE), in.readInt(QUANTITY), in.readString(NOTE));
    in.readRemainder();
    return trade;
  }
}
