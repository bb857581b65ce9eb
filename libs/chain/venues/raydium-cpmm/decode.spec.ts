import { flowsOf, legsIn, recordedTransactions } from '#libs/chain/market-ports/solana/test/decoded.js';
import { raydiumCpmm } from './decode.js';

describe('legs of Raydium CPMM', () => {
  it('name the vaults that hold their two mints, in the one recorded transaction that reached a pool', () => {
    const found = [...recordedTransactions(true).values()].flatMap((tx) =>
      legsIn(tx, raydiumCpmm).map((leg) => ({ leg, flows: flowsOf(tx, [leg]) })),
    );
    expect(found).toHaveLength(1);
    const { leg, flows } = found[0]!;
    expect([...flows.entries()]).toEqual([
      [leg.stated!.vaults![0], leg.inputAmount],
      [leg.stated!.vaults![1], -leg.outputAmount],
    ]);
  });
});
