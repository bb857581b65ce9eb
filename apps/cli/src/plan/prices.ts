import { TidepoolError } from '#libs/core/errors.js';

/** What a provider asks for: USD for each of these units. Null: it does not charge by this. */
export interface Prices {
  /** A million calls; each call of a list counts. */
  readonly requests: number | null;
  /** A million units, by the table of units. */
  readonly units: number | null;
  /** A gigabyte of answers. */
  readonly gb: number | null;
  /** A month, whatever is asked. */
  readonly month: number | null;
}

/** Units of each method. */
export interface Units {
  readonly byMethod: Readonly<Record<string, number>>;
  /** Of a method that is not listed. */
  readonly other: number;
}

/** Compute units as Alchemy publishes them (docs/nodes.md): other providers have their own, which `--units` gives. */
const usualUnits: Units = {
  byMethod: {
    ...{ eth_getLogs: 60, eth_getBlockByNumber: 20, eth_getBlockReceipts: 20, eth_blockNumber: 10, eth_call: 26 },
    ...{ getBlock: 40, getBlocks: 10, getSlot: 20, getMultipleAccounts: 20 },
  },
  other: 20,
};

const NAMES = ['requests', 'units', 'gb', 'month'] as const;

const usage = (reason: string): TidepoolError =>
  new TidepoolError('usage', `${reason}; tidepool plan --help shows how to use it`);

/** `requests=0.5,units=0.45`: what is left out costs nothing. */
export function readPrices(text: string | undefined): Prices {
  const given = pairs('--price', text);
  for (const name of given.keys()) {
    if (!(NAMES as readonly string[]).includes(name)) {
      throw usage(`--price knows ${NAMES.join(', ')}, not ${JSON.stringify(name)}`);
    }
  }
  const of = (name: (typeof NAMES)[number]): number | null => given.get(name) ?? null;
  return { requests: of('requests'), units: of('units'), gb: of('gb'), month: of('month') };
}

/** `eth_getLogs=75,other=1`: over the usual ones; `other` is for every method that is not listed. */
export function readUnits(text: string | undefined): Units {
  const given = pairs('--units', text);
  const other = given.get('other');
  given.delete('other');
  // A table with a unit for all others is a whole one.
  const base = other === undefined ? usualUnits.byMethod : {};
  return { byMethod: { ...base, ...Object.fromEntries(given) }, other: other ?? usualUnits.other };
}

function pairs(flag: string, text: string | undefined): Map<string, number> {
  const read = new Map<string, number>();
  if (text === undefined) return read;
  for (const part of text.split(',')) {
    const [, name, amount] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(\d{1,9}(?:\.\d{1,9})?)\s*$/.exec(part) ?? [];
    if (name === undefined) throw usage(`${flag} must be a list like name=0.5,name=2, not ${JSON.stringify(text)}`);
    if (read.has(name)) throw usage(`${flag} names ${name} twice`);
    read.set(name, Number(amount));
  }
  return read;
}

export interface Bill {
  readonly calls: number;
  readonly units: number;
  /** USD; null where no price is given. */
  readonly usd: number | null;
}

const MILLION = 1_000_000;
const GB = 1_000_000_000;
const MONTH_SECONDS = 30 * 86_400;

/** What some work costs: its calls, its bytes, and the months that it takes. */
export function billOf(
  work: { readonly calls: Readonly<Record<string, number>>; readonly bytes: number; readonly seconds: number },
  prices: Prices,
  units: Units,
): Bill {
  const counted = Object.entries(work.calls);
  const calls = counted.reduce((sum, [, count]) => sum + count, 0);
  const spent = counted.reduce((sum, [method, count]) => sum + count * (units.byMethod[method] ?? units.other), 0);
  const parts = [
    prices.requests === null ? null : (prices.requests * calls) / MILLION,
    prices.units === null ? null : (prices.units * spent) / MILLION,
    prices.gb === null ? null : (prices.gb * work.bytes) / GB,
    prices.month === null ? null : prices.month * Math.ceil(work.seconds / MONTH_SECONDS),
  ].filter((part) => part !== null);
  return { calls, units: spent, usd: parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0) };
}
