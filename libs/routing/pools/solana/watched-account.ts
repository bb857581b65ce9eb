import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { AccountFeed } from './account-feed.js';
import { type ReadCommitment, readSlot } from './slot-reader.js';

export interface WatchedAccountOptions {
  /** Base58. */
  address: string;
  nodes: SolanaPool;
  socketUrls?: readonly string[];
  commitment?: ReadCommitment;
  /** How often it is read again: without a live socket, and with one. */
  pollMs?: number;
  sweepMs?: number | undefined;
  silenceMs?: number;
  onError?: (error: Error) => void;
}

export interface AccountReading {
  /** Null: there is no such account. */
  readonly account: SolanaAccount | null;
  readonly slot: number;
  /** By `performance.now()`, when the question was asked. */
  readonly askedAt: number;
}

const DEFAULTS = { pollMs: 400, sweepMs: 5_000, silenceMs: 10_000 };
const FAILED_PAUSE_MS = 250;

/**
 * One account, followed on chain: read again when a subscription says that it changed, and from time to time without.
 * Invariant: a reading of an older slot never replaces a newer one.
 */
export class WatchedAccount {
  private newest: AccountReading | null = null;
  /** Slot that the next reading has to be of at least. */
  private minSlot = 0;
  /** Changes that were announced, and how many of them the newest reading was asked after. */
  private changes = 1;
  private seen = 0;
  private wake: (() => void) | null = null;

  constructor(private readonly options: WatchedAccountOptions) {}

  /** Null before the first. */
  get reading(): AccountReading | null {
    return this.newest;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { address, socketUrls = [], commitment = 'confirmed' } = this.options;
    const set = { ...DEFAULTS, ...defined(this.options) };
    const wakeUp = (): void => this.wake?.();
    const feed =
      socketUrls.length === 0
        ? null
        : new AccountFeed({
            ...{ urls: socketUrls, commitment, silenceMs: set.silenceMs },
            onChange: (_, slot) => {
              this.minSlot = Math.max(slot, this.minSlot);
              this.changes++;
              wakeUp();
            },
            onLost: wakeUp,
            onLive: wakeUp,
          });
    feed?.watch(new Set([address]));
    signal.addEventListener('abort', wakeUp);
    try {
      while (!signal.aborted) {
        const isRead = await this.read(commitment, signal);
        const every = feed?.live === true ? set.sweepMs : set.pollMs;
        if (!signal.aborted) await this.sleep(!isRead ? FAILED_PAUSE_MS : this.seen === this.changes ? every : 0);
      }
    } finally {
      signal.removeEventListener('abort', wakeUp);
      feed?.close();
    }
  }

  /** False when no node answered. */
  private async read(commitment: ReadCommitment, signal: AbortSignal): Promise<boolean> {
    const { address, nodes, onError } = this.options;
    const { changes } = this;
    try {
      const minSlot = Math.max(this.newest?.slot ?? 0, this.minSlot);
      const { known, moment, askedAt } = await readSlot(nodes, [address], commitment, minSlot, signal);
      this.newest = { account: known.get(address) ?? null, slot: Number(moment.slot), askedAt };
      this.seen = changes;
      return true;
    } catch (error) {
      if (!signal.aborted) onError?.(error as Error);
      return false;
    }
  }

  private async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }
}

/** Without what is undefined, which would hide a default. */
const defined = ({ pollMs, sweepMs, silenceMs }: WatchedAccountOptions): Partial<typeof DEFAULTS> =>
  Object.fromEntries(Object.entries({ pollMs, sweepMs, silenceMs }).filter(([, value]) => value !== undefined));
