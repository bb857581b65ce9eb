import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { type LiveProgram, startProgram } from './live-program.js';
import { stopWithUs } from './no-orphans.js';

/**
 * From a block at the node to the frame at a socket: the node announces a block to this process and to the program over
 * the same kind of subscription; the clock runs here from that announcement to the frame that leads to that block.
 */
export interface BlockToSocket {
  /** Milliseconds, one for each block whose frame came. */
  trades: number[];
  candles: number[];
  /** Blocks without a frame: they held no trade of the token. */
  quiet: number;
  /** Payloads of real frames, for the fan-out. */
  frames: string[];
}

interface Frame {
  type: string;
  meta: { block: number };
}

const PROGRAM = join(import.meta.dirname, '../../apps/all-in-one/src/main.js');
/** Blocks come one at a time: the one before has long been sent. */
const PAUSE_MS = 150;

export async function blockToSocket(dir: string, blocks: number): Promise<BlockToSocket> {
  const starting = startLocalChain({
    ...{ chain: 'eth', dataDir: join(dir, 'chain'), autoMine: false, reorgs: false },
    ...{ historyBlocks: 60, historySeconds: 3_600 },
  });
  const stop = stopWithUs(async () => (await starting).stop());
  try {
    const chain = await starting;
    const nodes = `${chain.rpcUrl},${chain.wsUrl}`;
    const program = await startProgram({
      ...{ script: PROGRAM, dataDir: join(dir, 'data') },
      env: { TIDEPOOL_RPC_ETH: nodes, TIDEPOOL_START_ETH: '0', TIDEPOOL_LOG_LEVEL: 'info' },
    });
    try {
      return await measure(chain, program, blocks);
    } finally {
      await program.stop();
    }
  } finally {
    await stop();
  }
}

async function measure(chain: LocalChain, program: LiveProgram, blocks: number): Promise<BlockToSocket> {
  const token = chain.tokens.find(({ symbol }) => symbol === 'WETH')?.address;
  if (token === undefined) throw new Error('the local chain has no WETH');
  const heads = await headsOf(chain.wsUrl);
  const trades = await follow(program, { channel: 'trades', chain: 'eth', token });
  const candles = await follow(program, { channel: 'candles', chain: 'eth', token, interval: '1m' });
  const latencies = ({ seen }: Followed): number[] =>
    [...seen].flatMap(([block, { at }]) => (heads.seen.has(block) ? [at - heads.seen.get(block)!] : []));
  try {
    for (let mined = 0; trades.seen.size < blocks || candles.seen.size < blocks; mined++) {
      if (mined > blocks * 10) throw new Error(`${mined} blocks were made and ${trades.seen.size} frames came`);
      await chain.mine();
      await sleep(PAUSE_MS);
    }
    const frames = [...trades.seen.values()].map(({ text }) => text);
    const quiet = heads.seen.size - trades.seen.size;
    return { trades: latencies(trades), candles: latencies(candles), quiet, frames };
  } finally {
    for (const { close } of [heads, trades, candles]) close();
  }
}

/** When each block was announced by the node, on the clock of performance.now(). */
async function headsOf(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const seen = new Map<number, number>();
  const ready = new Promise<void>((done) => {
    socket.on('message', (data) => {
      const at = performance.now();
      const message = JSON.parse(String(data)) as { id?: number; params?: { result: { number: string } } };
      if (message.id === 1) done();
      else if (message.params !== undefined) seen.set(Number(message.params.result.number), at);
    });
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  await ready;
  return { seen, close: () => socket.terminate() };
}

interface Followed {
  /** First frame that leads to a block, and when it came. */
  readonly seen: Map<number, { at: number; text: string }>;
  close(): void;
}

/** Frames of a subscription by the block they lead to. Subscribes as soon as the chain can be served. */
async function follow(program: LiveProgram, request: object): Promise<Followed> {
  const socket = new WebSocket(program.sockets, { headers: { 'x-api-key': program.key } });
  await once(socket, 'open');
  const seen: Followed['seen'] = new Map();
  const subscribe = () => socket.send(JSON.stringify({ op: 'subscribe', id: '1', ...request }));
  const ready = new Promise<void>((done) => {
    socket.on('message', (data) => {
      const at = performance.now();
      const text = String(data);
      const frame = JSON.parse(text) as Frame;
      if (frame.type === 'error') setTimeout(subscribe, 100);
      else if (frame.type === 'snapshot') done();
      else if (frame.type === 'trades' || frame.type === 'candles') seen.set(frame.meta.block, { at, text });
    });
  });
  subscribe();
  await ready;
  return { seen, close: () => socket.terminate() };
}
