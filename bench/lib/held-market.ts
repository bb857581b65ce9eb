import { randomBytes } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { Balance } from '#libs/pipeline/projections/balances/projection.js';
import { COMPLETE } from '#libs/pipeline/projections/holders/projection.js';
import { MINTED } from '#libs/pipeline/projections/launches/projection.js';
import type { FactsBlock } from '#libs/protocol/facts.js';

const id = (bytes: number): Hex => randomBytes(bytes).toString('hex');
const SUPPLY = 10n ** 27n;

/**
 * Rows of the projections that a token's answer is made of, for the tokens of a wide market: each is held by `holders` wallets, and
 * two balances change with each trade of it. Amounts are of realistic sizes; they do not add up.
 */
export class HeldMarket {
  private readonly wallets: Hex[];

  constructor(
    private readonly holders: number,
    wallets: number,
  ) {
    this.wallets = Array.from({ length: wallets }, () => id(20));
  }

  /** The block that names the tokens and their pools. */
  first(block: FactsBlock): FactsBlock {
    const tokens = block.pools.map(({ token0 }) => token0);
    block.launches = sorted(tokens, (token) => ({
      ...{ token, origin: MINTED, launchpad: '', creator: this.wallet(), createdAt: block.time },
      ...{ curve: '', progressPpm: 0, graduated: 0, graduatedAt: 0, graduatedPool: '' },
    }));
    const pools = block.pools.map(({ pool }) => pool);
    block.lpShares = sorted(pools, (pool) => ({ pool, known: 1, supply: 10n ** 20n, burnt: 10n ** 18n }));
    return this.hold(block, tokens, this.holders);
  }

  /** A block with trades. */
  next(block: FactsBlock): FactsBlock {
    return this.hold(
      block,
      block.trades.map(({ base }) => base),
      2,
    );
  }

  private hold(block: FactsBlock, traded: readonly Hex[], count: number): FactsBlock {
    const { time } = block;
    const tokens = [...new Set(traded)];
    block.tokenHolders = sorted(tokens, (token) => ({
      ...{ token, holders: this.holders, held: SUPPLY, minted: SUPPLY, burnt: 0n, dead: 0n, recorded: SUPPLY },
      standing: COMPLETE,
    }));
    block.tokenShares = sorted(tokens, (token) => ({
      ...{ token, fresh: 1, tagged: 2, creator: 0n, snipers: 10n ** 20n, bundlers: 0n, insiders: 0n },
    }));
    block.balances = [...tokens].sort().flatMap((token) => this.balancesOf(token, count, time));
    return block;
  }

  private balancesOf(token: Hex, count: number, time: number): Balance[] {
    const wallets = [...new Set(Array.from({ length: count }, () => this.wallet()))].sort();
    return wallets.map((wallet) => ({ token, wallet, amount: BigInt(`0x${id(10)}`), firstAt: time, lastAt: time }));
  }

  private wallet(): Hex {
    return this.wallets[Math.floor(Math.random() * this.wallets.length)]!;
  }
}

/** Facts hold rows in the order of their keys. */
const sorted = <Row>(keys: readonly Hex[], row: (key: Hex) => Row): Row[] => [...keys].sort().map(row);
