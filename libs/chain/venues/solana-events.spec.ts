import { PUMP_TRADE } from '#libs/chain/launchpads/pump-fun/decode.js';
import { launchlabLayout } from '#libs/chain/launchpads/raydium-launchlab/decode.js';
import { type EventLayout, isEventCall } from '#libs/chain/market-ports/solana/event-layout.js';
import { recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import { DAMM_SWAP } from './meteora-damm-v2/decode.js';
import { PUMPSWAP_BUY, PUMPSWAP_SELL } from './pumpswap/decode.js';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const written = (fields: Record<string, unknown> | null): Record<string, string> =>
  Object.fromEntries(Object.entries(fields ?? {}).map(([name, value]) => [name, String(value)]));

function layoutOf(test: string, data: Uint8Array): EventLayout {
  if (test.includes('launchpad')) return launchlabLayout(data);
  if (test.includes('daam')) return DAMM_SWAP;
  if (test.includes('amm.rs')) return test.includes('sell') ? PUMPSWAP_SELL : PUMPSWAP_BUY;
  return PUMP_TRADE;
}

describe('event payloads', () => {
  it('decode field by field as their sources state', () => {
    expect(recordedEvents.events).toHaveLength(8);
    for (const { test, bytes: hex, fields } of recordedEvents.events) {
      const data = bytes(hex);
      expect({ test, ...written(layoutOf(test, data).read(data)) }).toMatchObject({ test, ...fields });
    }
  });

  it('decode every field of pump.fun and PumpSwap events of all versions as the public IDL does', () => {
    expect(recordedEvents.pump.length).toBeGreaterThan(15);
    for (const { signature, event, bytes: hex, fields } of recordedEvents.pump) {
      const layout = event === 'BuyEvent' ? PUMPSWAP_BUY : event === 'SellEvent' ? PUMPSWAP_SELL : PUMP_TRADE;
      const read = written(layout.read(bytes(hex)));
      expect({ signature, ...read }).toEqual({ signature, ...written(fields) });
      for (const name of Object.keys(fields)) expect(String(layout.field(bytes(hex), name))).toBe(read[name]);
    }
  });

  it('tolerate longer and shorter payloads and bytes that are no UTF-8', () => {
    const newest = recordedEvents.pump.find(({ fields }) => fields.ix_name === 'buy' && 'quote_mint' in fields)!;
    const data = bytes(newest.bytes);
    const longer = Uint8Array.from([...data, 1, 2, 3]);
    expect(PUMP_TRADE.read(longer)).toEqual(PUMP_TRADE.read(data));
    for (let length = 0; length < data.length; length++) {
      const read = PUMP_TRADE.read(data.subarray(0, length));
      if (length < 16) expect(read).toBeNull();
      else
        for (const [name, value] of Object.entries(written(read)))
          expect(value).toBe(String(newest.fields[name] ?? ''));
      expect(PUMP_TRADE.field(data.subarray(0, length), 'real_quote_reserves')).toBeUndefined();
    }
    const at = Buffer.from(data).indexOf('buy');
    const spoilt = Uint8Array.from(data);
    spoilt.set([0xff, 0xfe, 0xfd], at);
    expect(PUMP_TRADE.field(spoilt, 'ix_name')).toBe('\ufffd\ufffd\ufffd');
    expect(PUMP_TRADE.u64(spoilt, 'quote_amount')).toBe(BigInt(newest.fields.quote_amount as string));
    spoilt.set([0xff, 0xff, 0xff, 0xff], at - 4);
    expect(PUMP_TRADE.u64(spoilt, 'quote_amount')).toBeUndefined();
    expect(PUMP_TRADE.u64(spoilt, 'sol_amount')).toBe(BigInt(newest.fields.sol_amount as string));
    expect(isEventCall(data)).toBe(true);
  });
});
