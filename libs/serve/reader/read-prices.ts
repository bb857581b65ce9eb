import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { type E36, ONE_E36 } from '#libs/core/money.js';
import { type Backing, backingOfPrice } from '#libs/pipeline/fold/backing.js';
import type { PriceLookup } from '#libs/pipeline/fold/token-values.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import type { PriceFact, ReferencePrice } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';

/** A token, those that its pools are quoted in, and those that pools of these are: the last follow from coin and stables. */
const STEPS = 3;

/**
 * Everything that pricing these tokens at this view needs, fetched level by level. With `before`, as the last block with
 * an earlier time left it.
 */
export async function readPrices(view: ChainView, tokens: Iterable<Hex>, before?: number): Promise<PriceLookup> {
  const references = new Map<Hex, E36 | null>();
  for (const { token, usd } of await readReferences(view, before)) references.set(token, usd);
  const backings = new Map<Hex, Backing | null>();
  let wanted = new Set(tokens);
  for (let step = 0; step < STEPS; step++) {
    const unknown = [...wanted].filter((token) => !references.has(token) && !backings.has(token));
    if (unknown.length === 0) break;
    const found = await readPriceFacts(view, unknown, before);
    wanted = new Set();
    for (const token of unknown) {
      const price = found.get(token);
      const backing = price === undefined ? null : backingOfPrice(price);
      backings.set(token, backing);
      for (const { quote } of backing?.parts ?? []) wanted.add(quote);
    }
  }
  return { reference: (token) => references.get(token), backing: (token) => backings.get(token) };
}

/**
 * USD prices of the coin and the stables at this view. Where no group states any: the fold's initial prices, which a
 * retraction of every block states too.
 */
export async function readReferences(view: ChainView, before?: number): Promise<ReferencePrice[]> {
  for (let i = view.groups.length - 1; i >= 0; i--) {
    const { references, time } = view.groups[i]!.facts;
    if (references.length > 0 && isBefore(time, before)) return references;
  }
  const stored = await view.reads.references(view.tables, before);
  return stored.length > 0 ? stored : firstReferences(view.chain);
}

/** A stable is worth one dollar until trades say otherwise; the coin has no price before its first. */
const firstReferences = ({ wrappedNative, stables }: ChainSpec): ReferencePrice[] => [
  { token: wrappedNative.token, usd: null },
  ...stables.map(({ token }) => ({ token, usd: ONE_E36 })),
];

const isBefore = (time: number, before: number | undefined): boolean => before === undefined || time < before;

/** The pool that sets a token's price; null where no single one does. */
export async function pricedPool(view: ChainView, token: Hex): Promise<Hex | null> {
  return (await readPriceFacts(view, [token])).get(token)?.pool || null;
}

/** What prices each token, as the newest fact says; with `before`, as the last block with an earlier time left it. */
export async function readPriceFacts(
  view: ChainView,
  tokens: readonly Hex[],
  before?: number,
): Promise<Map<Hex, PriceFact>> {
  const found = new Map<Hex, PriceFact>();
  const missing = new Set(tokens);
  for (let i = view.groups.length - 1; i >= 0 && missing.size > 0; i--) {
    const group = view.groups[i]!;
    if (!isBefore(group.facts.time, before)) continue;
    for (const token of missing) {
      const price = group.priceOf(token);
      if (price === undefined) continue;
      missing.delete(token);
      found.set(token, price);
    }
  }
  if (missing.size > 0) {
    for (const price of await view.reads.prices(view.tables, [...missing], before)) found.set(price.token, price);
  }
  return found;
}

/** The reference price of a token as the last block before each time left it. */
export async function referencesBefore(view: ChainView, token: Hex, times: readonly number[]): Promise<(E36 | null)[]> {
  const steps: { time: number; usd: E36 | null }[] = [];
  for (const { facts } of view.groups) {
    const price = facts.references.find((reference) => reference.token === token);
    if (price !== undefined) steps.push({ time: facts.time, usd: price.usd });
  }
  const prices: (E36 | null)[] = new Array(times.length).fill(null);
  const asked: number[] = [];
  times.forEach((time, index) => {
    const step = steps.findLast((candidate) => candidate.time < time);
    if (step === undefined) asked.push(index);
    else prices[index] = step.usd;
  });
  if (asked.length > 0) {
    const stored = await view.reads.referenceAt(
      view.tables,
      token,
      asked.map((index) => times[index]!),
    );
    asked.forEach((index, k) => {
      prices[index] = stored[k] ?? null;
    });
  }
  return prices;
}

/** Metadata of tokens by id; what is not known is not in the map. */
export async function readTokenRecords(view: ChainView, ids: Iterable<Hex>): Promise<Map<Hex, TokenRecord>> {
  const records = new Map<Hex, TokenRecord>();
  const missing = new Set(ids);
  for (let i = view.groups.length - 1; i >= 0 && missing.size > 0; i--) {
    const { facts } = view.groups[i]!;
    if (facts.kind !== 'block') continue;
    for (const record of facts.tokens) if (missing.delete(record.token)) records.set(record.token, record);
  }
  if (missing.size > 0) {
    for (const record of await view.reads.tokens(view.tables, [...missing])) records.set(record.token, record);
  }
  return records;
}
