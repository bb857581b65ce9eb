import type { ChainMoment, KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { addressId } from '#libs/chain/chains/solana/address-ids.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaPoolState, SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import { RecordedPool } from '../recorded-pool.js';

/** All accounts that some pools need, as a node had them at one slot. */
export interface SlotReading {
  readonly moment: ChainMoment;
  /** Milliseconds of the reader's clock when the question was asked. */
  readonly askedAt: number;
  readonly known: KnownAccounts;
}

/** Result of a reading for one pool. `more`: it needs accounts that the reading does not hold. */
export type Taken = 'same' | 'changed' | 'more' | 'older';

/**
 * One Solana pool as its accounts left it. Invariant: the state is read from accounts of one slot alone; `version` moves
 * with every change of the state and with nothing else. While the newest reading lacks an account that the pool needs, the
 * pool is torn and not quotable. `token0` and `token1` are the log's, in the order of their ids.
 */
export class SolanaBookPool extends RecordedPool {
  readonly address: string;
  /** Of its trades. */
  readonly mints: readonly [string, string];
  state: SolanaPoolState | null = null;
  version = 0;
  /** True when the venue's A is token0. */
  aIsToken0 = true;
  torn = false;
  /** That the state was read for; null before the first. */
  moment: ChainMoment | null = null;
  /** Newest slot at which the accounts were as they are; −1 before the first reading. */
  slot = -1;
  /** When the newest reading was asked for, ms of the reader's clock. */
  readAt = Number.NEGATIVE_INFINITY;
  private distrusted = false;
  private accounts: KnownAccounts = new Map();
  private wanted: readonly string[];

  constructor(
    record: PoolRecord,
    private readonly source: SolanaPoolVenue,
    /** The reader's clock, and the age from which a reading no longer counts. */
    private readonly clock: { now(): number; readonly maxAgeMs: number },
  ) {
    super(record);
    this.address = solanaIds.formatAddress(record.pool);
    this.mints = [solanaIds.formatAddress(record.token0), solanaIds.formatAddress(record.token1)];
    this.wanted = [this.address];
  }

  /** Whether amounts computed from the state may be handed out. */
  get quotable(): boolean {
    return (
      this.state !== null && !this.torn && !this.distrusted && this.clock.now() - this.readAt <= this.clock.maxAgeMs
    );
  }

  /** Accounts that a reading has to hold. */
  get addresses(): readonly string[] {
    return this.wanted;
  }

  /** All that the state was read from. */
  get known(): KnownAccounts {
    return this.accounts;
  }

  account(address: string): SolanaAccount | null | undefined {
    return this.accounts.get(address);
  }

  /** The chain disagrees: not quoted until its accounts change. */
  distrust(): void {
    this.distrusted = true;
  }

  /** Applies a reading. One of an older slot than the last changes nothing. */
  take({ moment, askedAt, known }: SlotReading): Taken {
    if (Number(moment.slot) < this.slot) return 'older';
    const wanted = this.wanted.filter((address) => known.has(address));
    const held = new Map(wanted.map((address) => [address, known.get(address)!]));
    const needed = [this.address, ...this.source.needs(this.address, held, this.mints)].filter(
      (address, n, all) => addressId(address) !== null && all.indexOf(address) === n,
    );
    if (needed.some((address) => !held.has(address))) {
      // What was needed before may be needed again after the next account is known.
      this.wanted = [...new Set([...this.wanted, ...needed])];
      this.torn = true;
      return 'more';
    }
    this.readAt = askedAt;
    this.slot = Number(moment.slot);
    const isSame = !this.torn && this.moment !== null && sameAccounts(needed, this.accounts, held);
    this.wanted = needed;
    this.torn = false;
    if (isSame) return 'same';
    this.accounts = held;
    this.distrusted = false;
    this.readState(moment);
    return 'changed';
  }

  /** Reads the same accounts at a later moment: some fees follow the clock. */
  advance(moment: ChainMoment): boolean {
    const { moment: at } = this;
    if (at === null || this.torn || moment.slot <= at.slot) return false;
    this.readState(moment);
    return true;
  }

  private readState(moment: ChainMoment): void {
    const { address, known, record, source } = this;
    this.moment = moment;
    const order = tokenOrder(source, known.get(address), record);
    this.aIsToken0 = order !== 'reversed';
    this.state = order === null ? null : source.read(address, known, moment, this.mints);
    this.version++;
  }
}

/** How the venue's A and B map to the log's tokens; a mint that the account does not name follows from the other. */
function tokenOrder(
  source: SolanaPoolVenue,
  account: SolanaAccount | null | undefined,
  { token0, token1 }: PoolRecord,
): 'same' | 'reversed' | null {
  const identity = account?.owner === source.program ? source.identity(account.data) : null;
  if (identity === null) return null;
  const [a, b] = [identity.mintA, identity.mintB].map((mint) => (mint === '' ? null : solanaIds.parseAddress(mint)));
  const fits = (first: Hex, second: Hex): boolean =>
    (a === null || a === first) && (b === null || b === second) && (a !== null || b !== null);
  if (fits(token0, token1)) return 'same';
  return fits(token1, token0) ? 'reversed' : null;
}

function sameAccounts(addresses: readonly string[], before: KnownAccounts, after: KnownAccounts): boolean {
  if (before.size !== addresses.length) return false;
  return addresses.every((address) => {
    const [a, b] = [before.get(address), after.get(address)];
    if (a === undefined || b === undefined) return false;
    if (a === null || b === null) return a === b;
    return a.owner === b.owner && a.lamports === b.lamports && Buffer.compare(a.data, b.data) === 0;
  });
}
