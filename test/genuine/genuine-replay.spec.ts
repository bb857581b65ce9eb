import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import { recordedSwaps } from '#libs/chain/market-ports/solana/test/genuine-swaps.js';
import { genuinePools } from './genuine-pools.js';

/**
 * What the deployed programs did when they were run (genuine-programs.spec.ts), without them: the quote over the same accounts
 * is what moved, and the venue's folder writes the same instruction.
 */
const recorded = recordedSwaps();

it('swaps of every venue that was run are recorded', () => {
  expect([...recorded.keys()].sort()).toEqual([...genuinePools.keys()].sort());
  for (const swaps of recorded.values()) {
    expect(swaps.length).toBeGreaterThanOrEqual(8);
    expect(new Set(swaps.map(({ order }) => order.exact))).toEqual(new Set(['in', 'out']));
    expect(new Set(swaps.map(({ order }) => order.aToB))).toEqual(new Set([true, false]));
  }
});

it.each([...recorded])('%s: quotes and instructions are those that the deployed program confirmed', (venue, swaps) => {
  const { pools, instructions } = solanaModule(venue)!;
  for (const { order, at, known, mints, call, moved } of swaps) {
    const state = pools!.read(order.pool, known, at, mints)!;
    const quote =
      order.exact === 'in' ? state.exactIn(order.aToB, order.amount) : state.exactOut(order.aToB, order.amount);
    expect({ order, in: quote?.amountIn, out: quote?.amountOut }).toEqual({
      ...{ order, in: moved.amountIn, out: moved.amountOut },
    });
    const written = instructions!.write(order, known, mints)!;
    expect({ ...written, data: Buffer.from(written.data).toString('hex') }).toEqual({
      ...{ ...call, data: Buffer.from(call.data).toString('hex') },
    });
  }
});

it.each([...recorded])(
  '%s: no instruction without an account that it needs, of another owner, or cut short',
  (venue, swaps) => {
    const { instructions } = solanaModule(venue)!;
    let refused = 0;
    for (const { order, known, mints } of swaps) {
      const pool = known.get(order.pool)!;
      const others = [null, undefined, { ...pool, owner: order.trader }, { ...pool, data: pool.data.slice(0, 40) }];
      for (const other of others) {
        const changed = new Map(known);
        if (other === undefined) changed.delete(order.pool);
        else changed.set(order.pool, other);
        expect(instructions!.write(order, changed, mints)).toBeNull();
        expect(instructions!.needs(order.pool, changed, mints)).toEqual([]);
        refused++;
      }
    }
    expect(refused).toBe(4 * swaps.length);
  },
);
