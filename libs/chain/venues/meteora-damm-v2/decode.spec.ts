import { emittedEvent } from '#libs/chain/market-ports/solana/event-layout.js';
import { readRecorded, recordedTransactions } from '#libs/devkit/testing/solana/recorded.js';
import { DAMM_SWAP, DAMM_SWAP_2, meteoraDammV2 } from './decode.js';

describe('what Meteora DAMM v2 swaps state', () => {
  const [recorded] = recordedTransactions('meteora-sales.json.gz').filter(({ name }) => !/DBC/.test(name));
  const tx = readRecorded(recorded!.answer);
  const index = tx.instructions.findIndex((_, at) => meteoraDammV2.legs(tx, at).length > 0);
  const [leg] = meteoraDammV2.legs(tx, index);

  it('is the price of the event and the vaults that the recorded sale moved', () => {
    const { layout, data } = emittedEvent(tx, index, [DAMM_SWAP_2, DAMM_SWAP])!;
    const sqrtPrice = layout.u64(data, 'next_sqrt_price')!;
    const aToB = layout.field(data, 'trade_direction') === 0;
    const square = sqrtPrice * sqrtPrice;
    expect(leg!.stated!.spot).toEqual(
      aToB ? { numerator: square, denominator: 2n ** 128n } : { numerator: 2n ** 128n, denominator: square },
    );
    // The price after the sale is near what the sale got: the fee and its own impact are between.
    const { numerator, denominator } = leg!.stated!.spot!;
    const spot = Number(numerator) / Number(denominator);
    const got = Number(leg!.outputAmount) / Number(leg!.inputAmount);
    expect(Math.abs(got / spot - 1)).toBeLessThan(0.2);
    const accounts = tx.instructions[index]!;
    expect(leg!.stated!.vaults).toEqual([tx.accountKey(accounts, 4), tx.accountKey(accounts, 5)]);
    const called = tx.instructions.slice(index + 1, tx.callsEnd(index));
    const touched = called.flatMap((call) => call.accounts.map((_, nth) => tx.accountKey(call, nth)));
    for (const vault of leg!.stated!.vaults!) expect(touched).toContain(vault);
  });

  it('includes the reserves where the event has them', () => {
    const { layout, data } = emittedEvent(tx, index, [DAMM_SWAP_2, DAMM_SWAP])!;
    const { reserves } = leg!.stated!;
    if (layout === DAMM_SWAP) expect(reserves).toBeUndefined();
    else {
      const aToB = layout.field(data, 'trade_direction') === 0;
      const [a, b] = [layout.u64(data, 'reserve_a_amount'), layout.u64(data, 'reserve_b_amount')];
      expect(reserves).toEqual(aToB ? { input: a, output: b } : { input: b, output: a });
    }
  });
});
