import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import type { GenuineSwap } from '#libs/chain/market-ports/solana/test/genuine-swaps.js';
import { until } from '#libs/devkit/testing/until.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { AccountBook } from '#libs/routing/pools/solana/account-book.js';
import { addRow, type VenueKind } from '#programs/client.js';
import { COIN, hex, type SolanaWorld } from './solana-world.js';

const RENT_EXEMPT_EPOCH = 0xffff_ffff_ffff_ffffn;

/** A pool with all accounts that its venue reads. */
export interface PoolAccounts {
  readonly address: string;
  readonly accounts: KnownAccounts;
  /** In the order of the pool. */
  readonly mints: readonly [string, string];
}

/** A live row for a venue in the config of the world's deployment, once; the router serves the venue then. */
async function serveVenue(world: SolanaWorld, venue: string): Promise<void> {
  const { swapKind, decoder } = solanaModule(venue)!;
  const isServed = (): boolean => {
    const state = world.chain.services!.deployment.state();
    return state !== null && world.chain.venues.servable(state).has(venue);
  };
  if (isServed()) return;
  const row = { program: hex(decoder.program), kind: swapKind as VenueKind, live: true };
  await world.administer(addRow(hex(world.market.contents().programs.swap), world.deployer.id, row));
  await until('the row is live', isServed);
}

/** Accounts as they are from the next slot on; the mint of the coin stays the chain's own. */
export function placeAccounts({ market }: SolanaWorld, accounts: KnownAccounts): void {
  for (const [address, account] of accounts) {
    if (account === null || address === COIN) continue;
    const whole = { ...account, executable: false, rentEpoch: RENT_EXEMPT_EPOCH };
    market.chain.edit({ kind: 'account', address, account: whole });
  }
}

/** A pool of a venue with a deployed program in a world: its accounts are on the chain, the log knows it, and its venue is served. */
export async function placePool(world: SolanaWorld, venue: string, pool: PoolAccounts): Promise<void> {
  placeAccounts(world, pool.accounts);
  await serveVenue(world, venue);
  await world.follow(recordOf(venue, pool));
}

/** As the log would know the pool. */
function recordOf(venue: string, { address, mints }: PoolAccounts): PoolRecord {
  const [token0, token1] = mints.map(hex).sort() as [string, string];
  const { kind } = solanaModule(venue)!.decoder;
  return { pool: hex(address), venue, kind, token0, token1, feePpm: 0, tickSpacing: 0, created: false };
}

/** A recorded pool in a world. The venue's program is not there: such a pool is for quotes alone. */
export class PlacedVenue {
  readonly address: string;
  private readonly module: SolanaVenueModule;

  private constructor(
    private readonly world: SolanaWorld,
    readonly venue: string,
    private readonly swap: GenuineSwap,
  ) {
    this.address = swap.order.pool;
    this.module = solanaModule(venue)!;
  }

  /** Places the first of some recorded pools that trades at the chain's clock. */
  static async place(world: SolanaWorld, venue: string, swaps: readonly GenuineSwap[]): Promise<PlacedVenue> {
    const at = world.chain.services!.pools.moment!;
    const { pools } = solanaModule(venue)!;
    const swap = swaps.find(
      ({ order, known, mints, moved }) =>
        pools!.read(order.pool, known, at, mints)?.exactIn(order.aToB, moved.amountIn) != null,
    );
    expect([venue, swap !== undefined]).toEqual([venue, true]);
    const { order, known, mints } = swap!;
    await placePool(world, venue, { address: order.pool, accounts: known, mints });
    return new PlacedVenue(world, venue, swap!);
  }

  /** A swap as it was recorded, asked for through this venue alone. */
  get question(): { inputMint: string; outputMint: string; amount: string; dexes: string } {
    const { order, mints, moved } = this.swap;
    const [inputMint, outputMint] = (order.aToB ? mints : mints.toReversed()) as [string, string];
    return { inputMint, outputMint, amount: String(moved.amountIn), dexes: this.module.decoder.dex };
  }

  /** Output of the question by the accounts as they were placed, at the moment of the router's newest reading of the pool. */
  out(): bigint | null {
    const { known, mints, order, moved } = this.swap;
    const { moment } = (this.world.chain.services!.pools as AccountBook).pool(hex(this.address))!;
    const state = this.module.pools!.read(this.address, known, moment!, mints);
    return state?.exactIn(order.aToB, moved.amountIn)?.amountOut ?? null;
  }

  /** Accounts that belong to the venue's program, the pool's own first. */
  owned(): string[] {
    const { program } = this.module.decoder;
    const isOwned = ([each, account]: [string, SolanaAccount | null]): boolean =>
      each !== this.address && account?.owner === program;
    return [this.address, ...[...this.swap.known].filter(isOwned).map(([each]) => each)];
  }
}
