import { isIP } from 'node:net';
import { decodeBase58 } from '#libs/core/base58.js';
import { type Prices, standardPrices } from '#libs/protocol/accounts/prices.js';
import { variables } from './variables.js';

/** A parser answers the value or throws RangeError with a short reason; the reader adds the variable and its rule. */
export type Parse<T> = (text: string) => T;

/** Reads typed values and collects every problem instead of stopping at the first. */
export class EnvReader {
  readonly problems: string[] = [];

  constructor(private readonly env: Record<string, string | undefined>) {}

  /** The fallback when unset or blank, and also after a problem (then the whole configuration is refused at the end). */
  value<T, F>(name: string, parse: Parse<T>, fallback: F): T | F {
    const text = this.env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problem(`${name}: ${error.message}; it must be ${ruleOf(name)}`);
      return fallback;
    }
  }

  problem(text: string): void {
    this.problems.push(text);
  }
}

function ruleOf(name: string): string {
  const exact = variables.find((variable) => variable.name === name);
  const pattern = variables.find((v) => v.name.includes('<CHAIN>') && name.startsWith(v.name.replace('<CHAIN>', '')));
  const variable = exact ?? pattern;
  if (!variable) throw new Error(`${name} is not in the list of variables`);
  return variable.rule;
}

const refuse = (reason: string): never => {
  throw new RangeError(reason);
};
/** Values with credentials are never repeated in an error. */
const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

const split = (text: string): string[] => {
  const items = text.split(',').map((item) => item.trim());
  return items.some((item) => item === '') ? refuse('an entry of the list is empty') : [...new Set(items)];
};

const url = (text: string, protocols: string[]): URL => {
  if (!URL.canParse(text)) return refuse('a value is not a URL');
  const parsed = new URL(text);
  const scheme = parsed.protocol.slice(0, -1);
  if (!protocols.includes(scheme)) return refuse(`scheme ${quoted(scheme)} is not one of ${protocols.join(', ')}`);
  return parsed;
};

const isCidr = (text: string): boolean => {
  const [address = '', bits, more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
};

export const parsers = {
  text: (text: string): string => text,
  list: split,
  port: (text: string): number =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : refuse(`${quoted(text)} is not a port`),
  count:
    (least: number) =>
    (text: string): number =>
      /^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : refuse(`${quoted(text)} does not fit`),
  host: (text: string): string =>
    isIP(text) !== 0 || text === 'localhost' ? text : refuse(`${quoted(text)} is not an address`),
  oneOf:
    <const T extends string>(...allowed: T[]) =>
    (text: string): T =>
      allowed.find((value) => value === text.toLowerCase()) ?? refuse(`${quoted(text)} is not allowed`),
  httpUrl: (text: string): string => {
    url(text, ['http', 'https']);
    return text;
  },
  /** The message has nothing of it. */
  secret: (text: string): string =>
    /^[\x21-\x7e]{24,200}$/.test(text) ? text : refuse(`a text of ${text.length} characters does not fit`),
  secrets: (text: string): string[] => split(text).map((part) => parsers.secret(part)),
  redisUrl: (text: string): string => {
    url(text, ['redis', 'rediss']);
    return text;
  },
  prices: (text: string): Prices => {
    const prices: Record<string, number> = { ...standardPrices };
    for (const item of split(text)) {
      const [name = '', credits = '', more] = item.split('=').map((part) => part.trim());
      if (!Object.hasOwn(standardPrices, name)) {
        refuse(`${quoted(name)} is no class; there are ${Object.keys(standardPrices).join(', ')}`);
      }
      if (more !== undefined || !/^\d{1,9}$/.test(credits)) refuse(`${quoted(item)} does not fit`);
      prices[name] = Number(credits);
    }
    return prices as Prices;
  },
  codePins: (text: string): ReadonlyMap<string, string> =>
    new Map(
      split(text).map((pin): [string, string] => {
        const match = /^0x([0-9a-fA-F]{40})=0x([0-9a-fA-F]{64})$/.exec(pin);
        return match ? [match[1]!.toLowerCase(), match[2]!.toLowerCase()] : refuse(`${quoted(pin)} does not fit`);
      }),
    ),
  publicUrl: (text: string): string => {
    const parsed = url(text, ['http', 'https']);
    if (parsed.search !== '' || parsed.hash !== '') return refuse('it has a query or a fragment');
    if (parsed.username !== '' || parsed.password !== '') return refuse('it has credentials');
    return parsed.href.replace(/\/$/, '');
  },
  nodeUrls: (text: string): string[] => {
    const urls = split(text);
    for (const node of urls) url(node, ['http', 'https', 'ws', 'wss']);
    return urls;
  },
  /** gRPC endpoints only announce blocks: one URL at least must answer questions. */
  solanaUrls: (text: string): string[] => {
    const urls = split(text);
    const parsed = urls.map((node) => url(node, ['http', 'https', 'ws', 'wss', 'grpc', 'grpcs']));
    if (parsed.some(({ protocol, hostname }) => protocol.startsWith('grpc') && hostname === '')) {
      return refuse('a gRPC URL names no host');
    }
    return parsed.some(({ protocol }) => protocol.startsWith('http')) ? urls : refuse('no URL is http or https');
  },
  solanaAddress: (text: string): string =>
    text.length <= 44 && decodeBase58(text)?.length === 32 ? text : refuse(`${quoted(text)} is not an address`),
  brokers: (text: string): string[] =>
    split(text).map((broker) => {
      const match = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(broker);
      return match && Number(match[2]) >= 1 && Number(match[2]) <= 65_535
        ? broker
        : refuse(`${quoted(broker)} does not fit`);
    }),
  trustProxy: (text: string): boolean | number | string[] => {
    const lower = text.toLowerCase();
    if (lower === 'true' || lower === 'false') return lower === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    const ranges = split(text);
    const wrong = ranges.find((range) => !isCidr(range));
    return wrong === undefined ? ranges : refuse(`${quoted(wrong)} is not an address or range`);
  },
};
