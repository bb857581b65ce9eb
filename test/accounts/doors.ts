import { request as httpRequest } from 'node:http';

/** What is at a place where a request carries a key. */
export interface Carried {
  /** Name, value, name, value …, so that a header can come twice. */
  readonly headers?: readonly string[];
  /** Without the question mark. */
  readonly query?: string;
}

/** One way into an instance. */
export interface Door {
  readonly name: string;
  /** The listener, by the name under which a program logs its address. */
  readonly host: 'api' | 'ws' | 'rpc' | 'base' | 'sol' | 'relay';
  readonly path: string;
  /** A POST with this body. */
  readonly body?: string;
  /** Asks to become a WebSocket. */
  readonly upgrade?: boolean;
  /** Of the rate: the calls of a batch. */
  readonly requests?: number;
  /** An event stream: its answer has no end. */
  readonly stream?: boolean;
}

export interface DoorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const call = (method: string, params: object = []) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const MINT = 'So11111111111111111111111111111111111111112';
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

/** Every kind of entry point that asks for a key. What they are asked is answered without a chain, or refused after the key. */
export const doors: readonly Door[] = [
  { name: 'REST', host: 'api', path: '/chains' },
  { name: 'REST under /v1', host: 'api', path: '/v1/chains' },
  { name: 'UDF', host: 'api', path: '/udf/time' },
  { name: 'event stream', host: 'api', path: `/stream/trades?chain=eth&token=${WETH}`, stream: true },
  { name: 'WebSocket of the api', host: 'api', path: '/ws', upgrade: true },
  { name: 'WebSocket of the api under /v1', host: 'api', path: '/v1/ws', upgrade: true },
  { name: 'WebSocket of its listener', host: 'ws', path: '/', upgrade: true },
  { name: 'socket.io', host: 'api', path: '/socket.io/?EIO=4&transport=websocket', upgrade: true },
  { name: 'socket.io of its listener', host: 'ws', path: '/socket.io/?EIO=4&transport=websocket', upgrade: true },
  { name: 'gateway', host: 'rpc', path: '/eth', body: call('eth_mining') },
  {
    name: 'gateway, a batch',
    host: 'rpc',
    path: '/eth',
    body: `[${call('a')},${call('b')},${call('c')}]`,
    requests: 3,
  },
  { name: 'DAS', host: 'rpc', path: '/', body: call('getAssetProof', { id: MINT }) },
  { name: 'EVM router', host: 'base', path: '/evm/venues' },
  { name: 'EVM quote', host: 'base', path: '/evm/quote', body: '{"chain":"eth","amount":"0"}' },
  { name: 'EVM build', host: 'base', path: '/evm/swap', body: '{}' },
  { name: 'Solana router', host: 'base', path: '/venues' },
  { name: 'Solana quote', host: 'base', path: '/quote?amount=0' },
  { name: 'Solana build', host: 'base', path: '/swap', body: '{}' },
  { name: 'launch', host: 'base', path: '/launch' },
  { name: 'launch under /v1', host: 'base', path: '/v1/launch' },
  { name: 'launch of a token', host: 'base', path: '/launch/eth', body: '{}' },
  { name: 'legacy quote', host: 'sol', path: `/api/sol/quote/${MINT}` },
  { name: 'consolidate', host: 'sol', path: '/api/sol/consolidate', body: '{}' },
  { name: 'relay', host: 'relay', path: '/bundle', body: '{}' },
];

const HANDSHAKE = [
  ...['connection', 'Upgrade', 'upgrade', 'websocket'],
  ...['sec-websocket-version', '13', 'sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

/** One request to an entry point, on a connection of its own, with headers byte for byte. A socket or stream ends at once. */
export function knock(urls: Record<string, string>, door: Door, { headers = [], query = '' }: Carried) {
  const url = new URL(urls[door.host]!.replace(/^ws/, 'http'));
  const path = query === '' ? door.path : `${door.path}${door.path.includes('?') ? '&' : '?'}${query}`;
  return new Promise<DoorAnswer>((resolve, reject) => {
    const request = httpRequest({
      ...{ host: url.hostname, port: url.port, path, agent: false },
      method: door.body === undefined ? 'GET' : 'POST',
      headers: ['host', url.host, ...(door.upgrade ? HANDSHAKE : ['connection', 'close']), ...headers],
    });
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, text: '' });
    });
    request.on('response', (response) => {
      const { statusCode, headers: told } = response;
      let text = '';
      const done = () => resolve({ status: statusCode!, headers: told, text });
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      if (door.stream && statusCode === 200) {
        done();
        request.destroy();
      } else response.on('end', done);
      response.on('error', () => undefined);
    });
    request.on('error', reject);
    request.end(door.body);
  });
}
