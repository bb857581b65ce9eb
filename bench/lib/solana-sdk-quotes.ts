import { meteoraDbcPools } from '#libs/chain/launchpads/meteora-dbc/quote.js';
import { sdkSwap as dbcSwap, randomCurve, sdkAccounts } from '#libs/chain/launchpads/meteora-dbc/test/random-curve.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { meteoraDammV2Pools } from '#libs/chain/venues/meteora-damm-v2/quote.js';
import { sdkSwap as dammSwap, decodePool, randomPool } from '#libs/chain/venues/meteora-damm-v2/test/random-pool.js';
import { meteoraDlmmPools } from '#libs/chain/venues/meteora-dlmm/quote.js';
import { SdkPool } from '#libs/chain/venues/meteora-dlmm/test/dlmm-sdk.js';
import { randomPair } from '#libs/chain/venues/meteora-dlmm/test/random-pair.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/** One quote of a pool by its venue's own package and by the state that the router reads, over the same account bytes. */
interface SdkCase {
  readonly ours: () => bigint | null;
  readonly theirs: () => bigint | null;
}

type Maker = (random: SeededRandom) => SdkCase | null;

const at = (bySlot: boolean, point: bigint) => (bySlot ? { slot: point, unixTime: 0n } : { slot: 0n, unixTime: point });

function damm(random: SeededRandom): SdkCase | null {
  const { data, point, bySlot, reserveA } = randomPool(random);
  const known = new Map([['pool', { owner: meteoraDammV2Pools.program, lamports: 1n, data }]]);
  const state = meteoraDammV2Pools.read('pool', known, at(bySlot, point));
  const pool = decodePool(data);
  const amount = reserveA / 1_000n + 1n;
  return caseOf(state, amount, () => dammSwap(pool, point, true, true, amount));
}

function dbc(random: SeededRandom): SdkCase | null {
  const curve = randomCurve(random);
  const owner = meteoraDbcPools.program;
  const known = new Map([
    ['pool', { owner, lamports: 1n, data: curve.pool }],
    [curve.configKey, { owner, lamports: 1n, data: curve.config }],
  ]);
  const state = meteoraDbcPools.read('pool', known, at(curve.bySlot, curve.point));
  const sdk = sdkAccounts(curve);
  const amount = curve.quoteLeft / 100n + 1n;
  return caseOf(state, amount, () => dbcSwap(sdk, curve.point, false, true, amount), false);
}

function dlmm(random: SeededRandom): SdkCase | null {
  const pair = randomPair(random);
  const state = meteoraDlmmPools.read(pair.address, pair.accounts, pair.at);
  const sdk = new SdkPool(pair.address, pair.accounts, pair.at.unixTime);
  const amount = pair.total.x / 1_000n + 1n;
  return caseOf(state, amount, () => sdk.exactIn(true, amount));
}

export const SDK_MAKERS: Readonly<Record<string, Maker>> = {
  '@meteora-ag/cp-amm-sdk': damm,
  '@meteora-ag/dynamic-bonding-curve-sdk': dbc,
  '@meteora-ag/dlmm': dlmm,
};

function caseOf(
  state: SolanaPoolState | null,
  amount: bigint,
  theirs: () => { amountOut: bigint } | null,
  aToB = true,
): SdkCase | null {
  if (state === null) return null;
  return {
    ours: () => state.exactIn(aToB, amount)?.amountOut ?? null,
    theirs: () => theirs()?.amountOut ?? null,
  };
}
