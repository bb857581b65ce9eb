import { ChainRegistry } from '#libs/chains/chain-registry.js';
import type { Hex } from '#libs/core/ids.js';
import { badRequest } from '#libs/http/problem.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import type { ReceiptState } from '#libs/protocol/receipts.js';
import type { EvmReceiptsQuery } from '#libs/protocol/rest/evm/receipt-body.js';
import type { ReceiptFilter, ReceiptPlace } from '../../receipts/receipt-list.js';

/** Whose receipts they are is a matter of the key. */
export type AskedFilter = Omit<ReceiptFilter, 'account'>;

/** Which receipts a request asks for. A cursor keeps the filter of its list. */
export class ReceiptQueries {
  private readonly named: ChainRegistry<ChainSpec>;

  constructor(private readonly chains: readonly ChainSpec[]) {
    this.named = new ChainRegistry(chains);
  }

  read(query: EvmReceiptsQuery): { filter: AskedFilter; after: ReceiptPlace | null } {
    const asked = {
      chain: this.chainOf(query.chain),
      wallet: walletOf(query.wallet, this.chains[0]),
      state: query.state ?? null,
    };
    if (query.cursor === undefined) return { filter: asked, after: null };
    const page = openCursor(query.cursor);
    refuseOtherFilter(page.filter, asked);
    return page;
  }

  private chainOf(name: string | undefined): string | null {
    if (name === undefined) return null;
    const chain = this.named.find(name);
    if (chain === null) {
      const slugs = this.chains.map(({ slug }) => slug).join(', ');
      throw badRequest(`chain must be one of ${slugs}, an alias or an id of theirs`);
    }
    return chain.slug;
  }
}

function walletOf(text: string | undefined, anyChain: ChainSpec | undefined): Hex | null {
  if (text === undefined) return null;
  const wallet = anyChain?.ids.parseAddress(text) ?? null;
  if (wallet === null) throw badRequest('wallet must be a 0x address: 0x and 40 hex digits');
  return wallet;
}

/** A place in the list, and the filter that the whole list has. */
interface ReceiptCursor {
  readonly after: ReceiptPlace;
  readonly filter: AskedFilter;
}

/**
 * The list's order never changes and new receipts come in front, so that a place says it all: a page neither loses nor
 * repeats a receipt, on any router. The filter travels with it.
 */
export const cursorOf = ({ builtAt, id }: ReceiptPlace, { chain, wallet, state }: AskedFilter): string =>
  Buffer.from([2, builtAt, id, chain ?? '', wallet ?? '', state ?? ''].join(':')).toString('base64url');

const CURSOR = /^2:(\d{1,15}):([0-9a-f-]{36}):([a-z0-9-]*):([0-9a-f]{40})?:(built|executed|expired)?$/;

function openCursor(text: string): ReceiptCursor {
  const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('utf8'));
  if (match === null) throw badRequest('cursor is not one this route gave: start again from the first page');
  const [, builtAt, id, chain, wallet, state] = match;
  return {
    after: { builtAt: Number(builtAt), id: id! },
    filter: { chain: chain || null, wallet: wallet ?? null, state: (state as ReceiptState | undefined) ?? null },
  };
}

/** A filter that is left out is the cursor's; one that is given must be the same. */
function refuseOtherFilter(pinned: AskedFilter, asked: AskedFilter): void {
  for (const name of ['chain', 'wallet', 'state'] as const) {
    if (asked[name] === null || asked[name] === pinned[name]) continue;
    throw badRequest(`${name} must be that of the first page, or left out: the cursor keeps it`);
  }
}
