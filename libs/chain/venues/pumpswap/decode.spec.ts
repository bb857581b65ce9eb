import {
  balancesOf,
  emitting,
  flowsOf,
  legsIn,
  recordedTransactions,
  u64,
} from '#libs/chain/market-ports/solana/test/decoded.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { PUMPSWAP_SELL, pumpSwap } from './decode.js';

describe('legs of PumpSwap', () => {
  it('name the vaults that moved by their amounts in the recorded transactions', () => {
    const moves = [...recordedTransactions().values()].flatMap((tx) =>
      [...flowsOf(tx, legsIn(tx, pumpSwap))].map(([vault, moved]) => {
        const held = balancesOf(tx, vault)!;
        return [moved, held.after - held.before];
      }),
    );
    expect(moves).toHaveLength(4);
    for (const [moved, change] of moves) expect(moved).toBe(change);
  });

  it('of a route name the vaults of the group that their pool stands in', () => {
    const pool = (n: number) => encodeBase58(Buffer.alloc(32, n));
    const event = (n: number) => {
      const amounts = Array.from({ length: 14 }, () => u64(9n));
      return Buffer.concat([PUMPSWAP_SELL.discriminator, ...amounts, Buffer.alloc(32, n), Buffer.alloc(64)]);
    };
    const group = (n: number) => [`base${n}`, `quote${n}`, pool(n), `vb${n}`, `vq${n}`];
    const accounts = ['payer', 'config', ...group(1), 'more', ...group(2)];
    const tx = emitting(pumpSwap, { data: '2b644913e9f66f94', accounts }, [event(1), event(2)]);
    expect(legsIn(tx, pumpSwap)).toMatchObject([
      { pool: pool(1), inputMint: 'base1', outputMint: 'quote1', stated: { vaults: ['vb1', 'vq1'] } },
      { pool: pool(2), inputMint: 'base2', outputMint: 'quote2', stated: { vaults: ['vb2', 'vq2'] } },
    ]);
  });
});
