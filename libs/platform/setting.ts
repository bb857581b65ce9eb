import { isIP } from 'node:net';
import { decodeBase58 } from '#libs/core/base58.js';
import { type Prices, standardPrices } from '#libs/protocol/accounts/prices.js';

/** How the text of a variable becomes a value, and what its value is without one. */
export class Setting<T> {
  constructor(
    /** Answers the value, or throws RangeError with a short reason; the reader adds the variable and the rule. */
    readonly parse: (text: string) => T,
    /** What the text must be, in words. */
    readonly rule: string,
    readonly fallback: T,
    /** The fallback in words. */
    readonly shown: string,
    readonly about = '',
  ) {}

  describe(about: string): Setting<T> {
    return new Setting(this.parse, this.rule, this.fallback, this.shown, about);
  }
}

/** Settings of one rule, each with a default of its own. */
const kind =
  <T>(rule: string, parse: (text: string) => T) =>
  <F extends T | null>(fallback: F, shown = String(fallback)): Setting<T | F> =>
    new Setting<T | F>(parse, rule, fallback, shown);

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

export const text = (rule: string) => kind(rule, (given) => given);

export const list = (rule: string) => kind(rule, split);

export const port = kind('a port, 0 to 65535 (0 picks a free one)', (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : refuse(`${quoted(text)} is not a port`),
);

export const count = (least: number, rule = `a whole number from ${least} on`) =>
  kind(rule, (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : refuse(`${quoted(text)} does not fit`),
  );

export const host = kind('an IP address or localhost', (text) =>
  isIP(text) !== 0 || text === 'localhost' ? text : refuse(`${quoted(text)} is not an address`),
);

export const oneOf = <const T extends string>(...allowed: T[]) =>
  kind(
    allowed.length === 2 ? allowed.join(' or ') : `one of ${allowed.join(', ')}`,
    (text): T => allowed.find((value) => value === text.toLowerCase()) ?? refuse(`${quoted(text)} is not allowed`),
  );

export const onOff = oneOf('on', 'off');

const urlOf =
  (...protocols: string[]) =>
  (text: string): string => {
    url(text, protocols);
    return text;
  };

export const httpUrl = kind('an http or https URL, credentials allowed', urlOf('http', 'https'));

export const redisUrl = kind('a redis or rediss URL, credentials allowed', urlOf('redis', 'rediss'));

export const publicUrl = kind('an http or https URL without query', (text): string => {
  const parsed = url(text, ['http', 'https']);
  if (parsed.search !== '' || parsed.hash !== '') return refuse('it has a query or a fragment');
  if (parsed.username !== '' || parsed.password !== '') return refuse('it has credentials');
  return parsed.href.replace(/\/$/, '');
});

/** The message has nothing of it. */
const secretText = (text: string): string =>
  /^[\x21-\x7e]{24,200}$/.test(text) ? text : refuse(`a text of ${text.length} characters does not fit`);

export const secret = kind('24 to 200 visible ASCII characters', secretText);

export const secrets = kind('comma-separated, each 24 to 200 visible ASCII characters', (text) =>
  split(text).map(secretText),
);

export const prices = kind('comma-separated class=credits, each a whole number from 0 on', (text): Prices => {
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
});

export const codePins = kind(
  'comma-separated 0xaddress=0xhash, the keccak-256 of the contract’s code',
  (text): ReadonlyMap<string, string> =>
    new Map(
      split(text).map((pin): [string, string] => {
        const match = /^0x([0-9a-fA-F]{40})=0x([0-9a-fA-F]{64})$/.exec(pin);
        return match ? [match[1]!.toLowerCase(), match[2]!.toLowerCase()] : refuse(`${quoted(pin)} does not fit`);
      }),
    ),
);

export const nodeUrls = kind(
  'comma-separated http, https, ws or wss URLs, the preferred first; for Solana also grpc or grpcs URLs',
  (text) => {
    const urls = split(text);
    for (const node of urls) url(node, ['http', 'https', 'ws', 'wss']);
    return urls;
  },
);

/** gRPC endpoints only announce blocks: one URL at least must answer questions. */
export function solanaUrls(text: string): string[] {
  const urls = split(text);
  const parsed = urls.map((node) => url(node, ['http', 'https', 'ws', 'wss', 'grpc', 'grpcs']));
  if (parsed.some(({ protocol, hostname }) => protocol.startsWith('grpc') && hostname === '')) {
    return refuse('a gRPC URL names no host');
  }
  return parsed.some(({ protocol }) => protocol.startsWith('http')) ? urls : refuse('no URL is http or https');
}

export const solanaAddress = kind('a Solana address, base58 of 32 bytes', (text) =>
  text.length <= 44 && decodeBase58(text)?.length === 32 ? text : refuse(`${quoted(text)} is not an address`),
);

export const brokers = kind('comma-separated host:port', (text) =>
  split(text).map((broker) => {
    const match = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(broker);
    return match && Number(match[2]) >= 1 && Number(match[2]) <= 65_535
      ? broker
      : refuse(`${quoted(broker)} does not fit`);
  }),
);

export const trustProxy = kind(
  'true, false, a number of hops, or a comma-separated list of IP addresses and CIDR ranges',
  (text): boolean | number | string[] => {
    const lower = text.toLowerCase();
    if (lower === 'true' || lower === 'false') return lower === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    const ranges = split(text);
    const wrong = ranges.find((range) => !isCidr(range));
    return wrong === undefined ? ranges : refuse(`${quoted(wrong)} is not an address or range`);
  },
);
