import type { Hex } from '#libs/core/ids.js';
import type { ReferenceSet, TokenRecord } from '#libs/protocol/blocks.js';
import type { SeededRandom } from '../seeded-random.js';

/** What wallets of a random history hold of the tokens whose transfers are all in its log and add up. */
export interface TokenLedgers {
  /** Few enough that they meet again. The first is the zero id, the last a burn address. */
  wallets: readonly Hex[];
  /** By token and wallet. */
  ledgers: Map<Hex, Map<Hex, bigint>>;
}

/** A wish to move a share of what a wallet has. From the zero id it mints, to it burns. */
export interface TokenMove {
  kind: 'move';
  token: TokenRecord;
  from: Hex;
  to: Hex;
  percent: number;
}

const BURN: Readonly<Record<ReferenceSet['family'], Hex>> = {
  evm: `${'00'.repeat(18)}dead`,
  // 1nc1nerator11111111111111111111111111111111
  solana: '003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000',
};

export function startLedgers(random: SeededRandom, family: ReferenceSet['family']): TokenLedgers {
  const bytes = family === 'evm' ? 20 : 32;
  const wallets = ['00'.repeat(bytes), ...Array.from({ length: 6 }, () => random.hex(bytes)), BURN[family]];
  return { wallets, ledgers: new Map() };
}

export function cloneLedgers({ wallets, ledgers }: TokenLedgers): TokenLedgers {
  return { wallets, ledgers: new Map([...ledgers].map(([token, held]) => [token, new Map(held)])) };
}

/** Now and then to or from a pool, which holds tokens as a wallet does. */
export function randomMoves(
  random: SeededRandom,
  { wallets }: TokenLedgers,
  token: TokenRecord,
  pools: readonly Hex[],
): TokenMove[] {
  const party = (): Hex => random.pick(pools.length > 0 && random.chance(0.2) ? pools : wallets);
  return Array.from({ length: random.int(1, 4) }, () => ({
    ...{ kind: 'move' as const, token, from: party(), to: party() },
    percent: random.pick([1, 10, 50, 100, 100]),
  }));
}

/** The transfer that comes of it. The first one of a token mints its whole supply. */
export function moveTokens(
  random: SeededRandom,
  { wallets, ledgers }: TokenLedgers,
  { token: { token, totalSupply }, from, to, percent }: TokenMove,
): { from: Hex; to: Hex; amount: bigint } | null {
  const zero = wallets[0]!;
  const supply = totalSupply ?? 0n;
  const held = ledgers.get(token);
  if (held === undefined) {
    const first = to === zero ? wallets[1]! : to;
    ledgers.set(token, new Map([[first, supply]]));
    return { from: zero, to: first, amount: supply };
  }
  const amount = ((from === zero ? supply / 50n : (held.get(from) ?? 0n)) * BigInt(percent)) / 100n;
  if (amount === 0n && random.chance(0.9)) return null;
  if (from !== zero) held.set(from, (held.get(from) ?? 0n) - amount);
  if (to !== zero) held.set(to, (held.get(to) ?? 0n) + amount);
  return { from, to, amount };
}
