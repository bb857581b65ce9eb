import { ChainRegistry } from '#libs/chains/chain-registry.js';
import type { Hex } from '#libs/core/ids.js';
import { Answer } from '#libs/http/answer.js';
import { badRequest } from '#libs/http/problem.js';
import type { HttpRoute } from '#libs/http/routes.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { type EvmReceiptsAnswer, EvmReceiptsQuery } from '#libs/protocol/rest/evm/receipt-body.js';
import { ParameterReader } from '#libs/protocol/schema/parameter-reader.js';
import type { ReceiptKeeper } from '../../receipts/receipt-keeper.js';
import type { ReceiptPlace } from '../../receipts/receipt-list.js';
import { receiptRow, summaryRow } from './receipt-row.js';

/** `GET /evm/receipts`: from memory, newest first. */
export function receiptRoutes(keeper: Pick<ReceiptKeeper, 'chains' | 'list'>): HttpRoute[] {
  const reader = new ParameterReader(EvmReceiptsQuery);
  const named = new ChainRegistry(keeper.chains);
  const slugs = keeper.chains.map(({ slug }) => slug).join(', ');
  const specOf = new Map(keeper.chains.map((spec) => [spec.slug, spec]));
  const chainOf = (name: string | undefined): string | null => {
    if (name === undefined) return null;
    const chain = named.find(name);
    if (chain === null) throw badRequest(`chain must be one of ${slugs}, an alias or an id of theirs`);
    return chain.slug;
  };
  const handle: HttpRoute['handle'] = (request) => {
    const outcome = reader.read(request.query as Record<string, unknown>);
    if ('problem' in outcome) throw badRequest(outcome.problem);
    const query = outcome.value;
    const filter = {
      chain: chainOf(query.chain),
      wallet: walletOf(query.wallet, keeper.chains[0]),
      state: query.state ?? null,
    };
    const after = query.cursor === undefined ? null : openPlace(query.cursor);
    const { receipts, next, summary } = keeper.list(filter, query.limit, after);
    const body: EvmReceiptsAnswer = {
      data: receipts.map((receipt) => receiptRow(receipt, specOf.get(receipt.chain)!)),
      next: next === null ? null : sealPlace(next),
      summary: summaryRow(summary),
    };
    return Answer.json(body);
  };
  return [{ method: 'GET', path: '/evm/receipts', open: false, handle }];
}

function walletOf(text: string | undefined, anyChain: ChainSpec | undefined): Hex | null {
  if (text === undefined) return null;
  const wallet = anyChain?.ids.parseAddress(text) ?? null;
  if (wallet === null) throw badRequest('wallet must be a 0x address: 0x and 40 hex digits');
  return wallet;
}

/**
 * The list's order never changes and new receipts come in front, so that a place says it all: a page neither loses nor
 * repeats a receipt, on any router and with any parameters.
 */
const sealPlace = ({ builtAt, id }: ReceiptPlace): string => Buffer.from(`1:${builtAt}:${id}`).toString('base64url');

function openPlace(text: string): ReceiptPlace {
  const match = /^1:(\d{1,15}):([0-9a-f-]{36})$/.exec(Buffer.from(text, 'base64url').toString('utf8'));
  if (match === null) throw badRequest('cursor is not one this route gave: start again from the first page');
  return { builtAt: Number(match[1]), id: match[2]! };
}
