import { hasWrongChecksum, WRONG_CHECKSUM } from '#libs/chain/chains/evm/checksum.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { launchpadNames } from '#libs/serve/contract/rest/market-queries.js';
import { type JsonObject } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { BodySource } from '../http/parameter-source.js';
import { readSlippage } from '../quotes/parameter-rules.js';
import { mostBuyOn, platformsOf, unwiredReason } from './builders.js';
import { notWired } from './launch-problem.js';
import type { CreateOrder } from './ports.js';

/** A create as it was asked for. */
export interface CreateRequest extends Omit<CreateOrder, 'chain' | 'uri'> {
  readonly platform: string;
  readonly rpcUrl: string;
}

const MOST_NAME = 32;
const MOST_SYMBOL = 10;
const MOST_DESCRIPTION = 1_000;
const MOST_LINK = 200;
const MOST_URL = 2_048;
const LINKS = ['twitter', 'telegram', 'website'] as const;
const DEFAULT_SLIPPAGE = 50;
/** Addresses up to this one belong to the chain itself. */
const LAST_RESERVED = 0xffffn;
/** Control characters, and those that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Cs}/u;

/** Reads the body of a create on that chain; the first broken rule is refused. The addresses in it are judged later. */
export function readCreate(chain: ChainSpec, body: JsonObject): CreateRequest {
  const source = new BodySource(body);
  const platform = readPlatform(chain, source);
  const creator = readKey(chain, source, 'creator');
  if (creator === null) throw badRequest('creator is required: the address of the wallet that signs');
  const name = readText(source, 'name', MOST_NAME);
  const symbol = readText(source, 'symbol', MOST_SYMBOL);
  if (/\s/.test(symbol)) throw badRequest('symbol must have no spaces');
  const description = readDescription(source);
  const image = readUrlText(source, 'image');
  const links: Record<string, string> = {};
  for (const link of LINKS) {
    const given = readLink(source, link);
    if (given !== null) links[link] = given;
  }
  const initialBuy = readBuy(chain, platform, source);
  const slippageBps = readSlippage(source) ?? DEFAULT_SLIPPAGE;
  const rpcUrl = readUrlText(source, 'rpcUrl');
  const mint = readMint(chain, source, creator);
  return {
    ...{ platform, creator, name, symbol, description, image, links, initialBuy, slippageBps, rpcUrl, mint },
  };
}

function readPlatform(chain: ChainSpec, source: BodySource): string {
  const { platforms, unwired } = platformsOf(chain);
  const rule = `one of ${[...platforms, ...unwired].join(', ')} on ${chain.slug}`;
  const given = source.one('platform');
  if (given === undefined) throw badRequest(`platform is required: ${rule}`);
  if (typeof given !== 'string') throw badRequest(`platform must be ${rule}`);
  if (platforms.includes(given)) return given;
  if (unwired.includes(given)) {
    const reason = unwiredReason(given);
    const why = reason === null ? '' : `, because ${reason}`;
    throw notWired(`${given} has no builder${why}: creates on ${chain.slug} work on ${platforms.join(', ')}`);
  }
  const elsewhere = (launchpadNames as readonly string[]).includes(given);
  throw badRequest(`platform must be ${rule}${elsewhere ? `; ${given} is not on this chain` : ''}`);
}

/** An address that a key may belong to. */
function readKey(chain: ChainSpec, source: BodySource, name: string): Hex | null {
  const given = source.one(name);
  if (given === undefined) return null;
  const { ids, slug } = chain;
  const id = typeof given === 'string' ? ids.parseAddress(given) : null;
  if (id === null) throw badRequest(`${name} must be an address of ${slug}`);
  if (chain.family === 'evm' && hasWrongChecksum(String(given))) throw badRequest(`${name} ${WRONG_CHECKSUM}`);
  if (ids.mayHaveKey?.(id) === false) throw badRequest(`${name} must be the address of a wallet: no key belongs to it`);
  if (chain.family === 'evm' && (BigInt(`0x${id}`) <= LAST_RESERVED || id === 'e'.repeat(40))) {
    throw badRequest(`${name} must be the address of an account; 0x${id} is reserved`);
  }
  return id;
}

function readMint(chain: ChainSpec, source: BodySource, creator: Hex): Hex | null {
  if (chain.family === 'evm') {
    if (source.one('mint') !== undefined) throw badRequest('mint is for Solana: leave it out');
    return null;
  }
  const mint = readKey(chain, source, 'mint');
  if (mint === creator) throw badRequest('mint must be another address than creator');
  return mint;
}

function readText(source: BodySource, name: string, most: number): string {
  const given = source.one(name);
  if (given === undefined) throw badRequest(`${name} is required: 1 to ${most} bytes of UTF-8`);
  const text = typeof given === 'string' ? given.trim() : '';
  if (text === '' || Buffer.byteLength(text) > most) throw badRequest(`${name} must have 1 to ${most} bytes of UTF-8`);
  if (HIDDEN.test(text)) throw badRequest(`${name} must have no control characters`);
  return text;
}

function readDescription(source: BodySource): string {
  const given = source.one('description') ?? '';
  if (typeof given !== 'string' || Array.from(given).length > MOST_DESCRIPTION) {
    throw badRequest(`description must be text of at most ${MOST_DESCRIPTION} characters`);
  }
  const text = given.trim();
  if (HIDDEN.test(text.replace(/[\n\r\t]/g, ' '))) throw badRequest('description must have no control characters');
  return text;
}

function readUrlText(source: BodySource, name: string): string {
  const given = source.one(name);
  if (given === undefined) throw badRequest(`${name} is required: a public http or https address`);
  if (typeof given !== 'string' || given.length > MOST_URL) {
    throw badRequest(`${name} must be a public http or https address of at most ${MOST_URL} characters`);
  }
  return given;
}

/** Shown and never fetched: it only has to be an address of the web. */
function readLink(source: BodySource, name: string): string | null {
  const given = source.one(name);
  if (given === undefined || given === '') return null;
  const rule = `${name} must be an https address of at most ${MOST_LINK} characters, without a user`;
  if (typeof given !== 'string' || given.length > MOST_LINK || HIDDEN.test(given) || /[\s\\]/.test(given)) {
    throw badRequest(rule);
  }
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') throw badRequest(rule);
  return url.href.length > MOST_LINK ? given : url.href;
}

function readBuy(chain: ChainSpec, platform: string, source: BodySource): bigint {
  const given = source.one('initialBuy');
  if (given === undefined) return 0n;
  const limit = mostBuyOn(chain, platform);
  const most = limit ?? (chain.family === 'evm' ? 2n ** 256n - 1n : 2n ** 64n - 1n);
  const rule = `initialBuy must be a whole number of base units of the coin, at most ${most}${limit === null ? '' : ` on ${platform}`}`;
  const text = given instanceof JsonNumber ? given.text : given;
  if (typeof text !== 'string' || !/^\d{1,78}$/.test(text)) throw badRequest(rule);
  const amount = BigInt(text);
  if (amount > most) throw badRequest(rule);
  return amount;
}
