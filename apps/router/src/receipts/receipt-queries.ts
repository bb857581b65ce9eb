import { ChainRegistry } from '#libs/chain/chains/chain-registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { ReceiptState } from '#libs/protocol/receipts.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { ReceiptKeeper } from './receipt-keeper.js';
import type { ReceiptFilter, ReceiptPage, ReceiptPlace } from './receipt-list.js';

/** As a route takes it. */
export interface ReceiptsQuery {
  chain?: string;
  wallet?: string;
  state?: ReceiptState;
  limit: number;
  cursor?: string;
}

/** Whose receipts they are is a matter of the key. */
interface AskedFilter extends Pick<ReceiptFilter, 'wallet' | 'state'> {
  chain: string | null;
}

/** What differs from family to family. */
const families = {
  evm: { cursor: '2', wallet: 'wallet must be a 0x address: 0x and 40 hex digits' },
  solana: { cursor: '3', wallet: 'wallet must be a base58 address of 32 bytes' },
} as const;

/** The lists of one family's receipts. A cursor keeps the filter of its list. */
export class ReceiptQueries {
  private readonly chains: readonly ChainSpec[];
  private readonly slugs: ReadonlySet<string>;
  private readonly named: ChainRegistry<ChainSpec>;

  constructor(
    private readonly keeper: Pick<ReceiptKeeper, 'chains' | 'list'>,
    private readonly family: keyof typeof families,
  ) {
    this.chains = keeper.chains.filter((spec) => spec.family === family);
    this.slugs = new Set(this.chains.map(({ slug }) => slug));
    this.named = new ChainRegistry(this.chains);
  }

  /** One page; `next` is the cursor of the one after it. */
  page(query: ReceiptsQuery, account: string | null): Omit<ReceiptPage, 'next'> & { next: string | null } {
    const { filter, after } = this.read(query);
    const { chain, wallet, state } = filter;
    const chains = chain === null ? this.slugs : new Set([chain]);
    const page = this.keeper.list({ account, chains, wallet, state }, query.limit, after);
    return { ...page, next: page.next === null ? null : this.cursorOf(page.next, filter) };
  }

  private read(query: ReceiptsQuery): { filter: AskedFilter; after: ReceiptPlace | null } {
    const asked = {
      chain: this.chainOf(query.chain),
      wallet: this.walletOf(query.wallet),
      state: query.state ?? null,
    };
    if (query.cursor === undefined) return { filter: asked, after: null };
    const page = this.openCursor(query.cursor);
    refuseOtherFilter(page.filter, asked);
    return page;
  }

  private chainOf(name: string | undefined): string | null {
    if (name === undefined) return null;
    const chain = this.named.find(name);
    if (chain === null) {
      throw badRequest(`chain must be one of ${[...this.slugs].join(', ')}, an alias or an id of theirs`);
    }
    return chain.slug;
  }

  private walletOf(text: string | undefined): Hex | null {
    if (text === undefined) return null;
    const wallet = this.chains[0]?.ids.parseAddress(text) ?? null;
    if (wallet === null) throw badRequest(families[this.family].wallet);
    return wallet;
  }

  /**
   * The list's order never changes and new receipts come in front, so that a place says it all: a page neither loses nor
   * repeats a receipt, on any router. The filter travels with it.
   */
  private cursorOf({ builtAt, id }: ReceiptPlace, { chain, wallet, state }: AskedFilter): string {
    const parts = [families[this.family].cursor, builtAt, id, chain ?? '', wallet ?? '', state ?? ''];
    return Buffer.from(parts.join(':')).toString('base64url');
  }

  private openCursor(text: string): { after: ReceiptPlace; filter: AskedFilter } {
    const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('utf8'));
    if (match === null || match[1] !== families[this.family].cursor) {
      throw badRequest('cursor is not one this route gave: start again from the first page');
    }
    const [, , builtAt, id, chain, wallet, state] = match;
    return {
      after: { builtAt: Number(builtAt), id: id! },
      filter: { chain: chain || null, wallet: wallet ?? null, state: (state as ReceiptState | undefined) ?? null },
    };
  }
}

const CURSOR = /^(\d):(\d{1,15}):([0-9a-f-]{36}):([a-z0-9-]*):([0-9a-f]{40}|[0-9a-f]{64})?:(built|executed|expired)?$/;

/** A filter that is left out is the cursor's; one that is given must be the same. */
function refuseOtherFilter(pinned: AskedFilter, asked: AskedFilter): void {
  for (const name of ['chain', 'wallet', 'state'] as const) {
    if (asked[name] === null || asked[name] === pinned[name]) continue;
    throw badRequest(`${name} must be that of the first page, or left out: the cursor keeps it`);
  }
}
