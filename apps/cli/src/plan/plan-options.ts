import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { type EvmWayName, evmWayNames } from '#libs/chain/chains/evm/probe/evm-ways.js';
import { chainManifests, chainSlugs } from '#libs/chain/chains/registry.js';
import { type SolanaWayName, solanaWayNames } from '#libs/chain/chains/solana/probe/solana-ways.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { ParsedArguments } from '../arguments.js';
import { LEAST_SECONDS, MOST_SECONDS, PARALLEL, SECONDS } from './plan-flags.js';
import { type Prices, readPrices, readUnits, type Units } from './prices.js';

type WayName = EvmWayName | SolanaWayName;

/** What is to be planned. */
export interface PlanRequest {
  readonly chain: ChainSpec;
  readonly url: string;
  readonly wsUrl: string | null;
  readonly from: number;
  readonly seconds: number;
  readonly parallel: number;
  readonly ways: readonly WayName[];
  readonly prices: Prices;
  readonly units: Units;
}

const MOST_PARALLEL = 64;

const usage = (reason: string): TidepoolError =>
  new TidepoolError('usage', `${reason}; tidepool plan --help shows how to use it`);

export function readPlanRequest(options: ParsedArguments['options']): PlanRequest {
  const chain = chainOf(required(options, 'chain', 'the chain that the node serves'));
  const url = urlOf('rpc', required(options, 'rpc', 'the URL of the node'), /^https?:$/, 'http or https');
  const ws = text(options, 'ws');
  return {
    ...{ chain, url, wsUrl: ws === undefined ? null : urlOf('ws', ws, /^wss?:$/, 'ws or wss') },
    from: whole('from', required(options, 'from', 'the first block of the history'), 0, Number.MAX_SAFE_INTEGER),
    seconds: whole('seconds', text(options, 'seconds') ?? String(SECONDS), LEAST_SECONDS, MOST_SECONDS),
    parallel: whole('parallel', text(options, 'parallel') ?? String(PARALLEL[chain.family]), 1, MOST_PARALLEL),
    ways: waysOf(chain, text(options, 'ways')),
    prices: readPrices(text(options, 'price')),
    units: readUnits(text(options, 'units')),
  };
}

function waysOf(chain: ChainSpec, given: string | undefined): readonly WayName[] {
  const known: readonly WayName[] = chain.family === 'evm' ? evmWayNames : solanaWayNames;
  if (given === undefined) return known;
  const wanted = given.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !(known as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw usage(`--ways of ${chain.slug} are ${known.join(', ')}, not ${JSON.stringify(unknown)}`);
  }
  return known.filter((name) => wanted.includes(name));
}

function chainOf(name: string): ChainSpec {
  const manifest = chainManifests.find(name);
  const spec = manifest && chainSpec(manifest.slug);
  if (!spec) throw usage(`--chain ${JSON.stringify(name)} is not known: use ${chainSlugs.join(', ')}`);
  return spec;
}

function urlOf(flag: string, given: string, protocol: RegExp, words: string): string {
  if (!URL.canParse(given) || !protocol.test(new URL(given).protocol))
    throw usage(`--${flag} must be a URL of ${words}`);
  return given;
}

function text(options: ParsedArguments['options'], name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

function required(options: ParsedArguments['options'], name: string, what: string): string {
  const value = text(options, name);
  if (value === undefined || value === '') throw usage(`--${name} is missing: ${what}`);
  return value;
}

function whole(flag: string, given: string, least: number, most: number): number {
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= least && value <= most)) {
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
    throw usage(`--${flag} must be a whole number ${range}, not ${JSON.stringify(given)}`);
  }
  return value;
}
