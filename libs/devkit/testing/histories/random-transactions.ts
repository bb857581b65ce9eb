import type { SeededRandom } from '../seeded-random.js';
import { type Action, address, type HistoryWorld, type PendingTx, randomPool } from './history-world.js';
import { randomMoves } from './token-moves.js';

/** What users may want in a world: swaps, liquidity, new pools, transfers, a stable that loses its peg. */
export function randomTx(random: SeededRandom, world: HistoryWorld): PendingTx {
  const actions: Action[] = [];
  for (let i = 0; i < (random.chance(0.2) ? random.int(2, 5) : 1); i++) actions.push(...randomActions(random, world));
  const { family } = world;
  return { id: random.hex(family === 'evm' ? 32 : 64), sender: address(random, family), actions };
}

function randomActions(random: SeededRandom, world: HistoryWorld): Action[] {
  const roll = random.next();
  const pools = [...world.pools.values()];
  if (roll < 0.1 && pools.length < 24) {
    const usd = random.chance(0.4) ? random.spread(5, 40) : random.spread(5, 1e6);
    return [{ kind: 'create', record: { ...randomPool(random, world), created: true }, usd }];
  }
  if (roll < 0.25) {
    const picked = random.pick(world.tokens);
    const { token } = picked.record;
    if (picked.honest) return randomMoves(random, world, picked.record, [...world.pools.keys()]);
    return [
      {
        kind: 'transfer',
        token,
        from: address(random, world.family),
        to: address(random, world.family),
        amount: BigInt(random.int(0, 1e12)),
      },
    ];
  }
  if (pools.length === 0) return [];
  const pool = random.pick(pools).record.pool;
  if (roll < 0.32) return [{ kind: 'add', pool, usd: random.spread(1, 1e5) }];
  if (roll < 0.39) return [{ kind: 'remove', pool }];
  if (roll < 0.41) return [{ kind: 'donate', pool, amount: BigInt(random.int(1, 1e9)) }];
  if (roll < 0.45) {
    const [a, b] = [BigInt(random.int(0, 1e9)), BigInt(random.int(0, 1e9))];
    const [sign0, sign1] = random.pick([
      [1n, -1n],
      [-1n, 1n],
      [1n, 1n],
      [1n, 0n],
    ] as const);
    return [{ kind: 'oddSwap', pool, amount0: sign0 * a, amount1: sign1 * b }];
  }
  if (roll < 0.5) return pegBreak(random, world);
  if (roll < 0.54) return spike(random, pool);
  return [{ kind: 'swap', pool, zeroForOne: random.chance(0.5), share: random.spread(1e-8, 0.3) }];
}

/** Far away and, mostly, about as far back, with what is traded there meanwhile. */
function spike(random: SeededRandom, pool: string): Action[] {
  const zeroForOne = random.chance(0.5);
  const share = random.spread(0.02, 8);
  const there: Action[] = [{ kind: 'swap', pool, zeroForOne, share }];
  if (random.chance(0.5)) there.push({ kind: 'swap', pool, zeroForOne, share: random.spread(1e-6, 1e-2) });
  const back = random.chance(0.7) ? share * random.spread(0.9, 1.1) : random.spread(0.01, 4);
  return [...there, { kind: 'swap', pool, zeroForOne: !zeroForOne, share: back }];
}

/** Sells (or buys) one stable in all its pools against the coin and the other stables. */
function pegBreak(random: SeededRandom, world: HistoryWorld): Action[] {
  const role = new Map(world.tokens.map((token) => [token.record.token, token.role]));
  const stable = random.pick(world.tokens.filter((token) => token.role === 'stable')).record.token;
  const sell = random.chance(0.6);
  const share = random.spread(0.005, 0.3);
  const actions: Action[] = [];
  for (const { record } of world.pools.values()) {
    const other = record.token0 === stable ? record.token1 : record.token1 === stable ? record.token0 : null;
    if (other === null || role.get(other) === 'plain') continue;
    actions.push({ kind: 'swap', pool: record.pool, zeroForOne: (record.token0 === stable) === sell, share });
  }
  return actions;
}
