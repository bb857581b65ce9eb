import { resolve } from 'node:path';
import { YOUNG_SPACE } from './lib/as-started.js';
import { installPeer } from './lib/install-peer.js';
import { benchOptions } from './lib/options.js';
import { percentile } from './lib/percentiles.js';
import { type Slice, SlicedServer } from './lib/sliced-server.js';
import { printTable } from './lib/table.js';

/**
 * bench/gateway: `POST /{chain}` of the gateway compared with bare reverse proxies in front of the same node, which answers every
 * question with the same bytes. Every question is another, so that none is shared or kept. The servers take turns, a slice
 * of the same requests each, after all are warm; ratios are those of neighbouring slices.
 *
 * Run: `node dist/bench/gateway.js [--requests 16000] [--slices 8] [--sizes 64,4096,65536] [--warm 3]`
 */
const values = benchOptions('gateway', { requests: '16000', slices: '8', sizes: '64,4096,65536', warm: '3' });
const PROXIES = ['http-proxy-3', 'reply-from'] as const;
const GATEWAY = 'gateway';
const SCRIPT = new URL('./lib/gateway-server.js', import.meta.url);
const half = (samples: readonly number[]) => percentile(samples, 0.5);

/** Each asks of another wallet. */
function questions(count: number, key: string): Buffer[] {
  return Array.from({ length: count }, (_, n) => {
    const wallet = `0x${n.toString(16).padStart(40, '0')}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${wallet}","latest"]}`;
    const head = `host: 127.0.0.1\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`;
    return Buffer.from(`POST /eth HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`);
  });
}

async function measure(bytes: string, peers: string): Promise<string[][]> {
  const node = await SlicedServer.start(SCRIPT, ['node', bytes]);
  const upstream = `http://127.0.0.1:${node.port}`;
  const servers = new Map<string, SlicedServer>();
  try {
    const script = resolve(peers, 'run.cjs');
    for (const proxy of PROXIES) servers.set(proxy, await SlicedServer.start(script, [proxy, upstream]));
    const gateway = await SlicedServer.start(SCRIPT, [GATEWAY, upstream], [YOUNG_SPACE]);
    servers.set(GATEWAY, gateway);
    const all = questions(Number(values.requests), gateway.key);
    for (const server of servers.values()) {
      await server.reconnect();
      await server.warm(all.slice(0, 2_000), Number(values.warm) * 1_000);
    }
    const single = all.splice(0, all.length >> 2);
    const size = Math.ceil(all.length / Number(values.slices));
    const slices = new Map<string, Slice[]>([...servers.keys()].map((name) => [name, []]));
    const latencies = new Map<string, number[]>([...servers.keys()].map((name) => [name, []]));
    for (let i = 0; i < Number(values.slices); i++) {
      const alone = Math.ceil(single.length / Number(values.slices));
      for (const [name, server] of servers) {
        await server.reconnect();
        latencies.get(name)!.push(...(await server.latencies(single.slice(i * alone, (i + 1) * alone))));
        slices.get(name)!.push(await server.slice(all.slice(i * size, (i + 1) * size)));
      }
    }
    const beside = (what: 'perSecond' | 'cpuMicros', proxy: string): string => {
      const ratios = slices.get(GATEWAY)!.map((slice, i) => slice[what] / slices.get(proxy)![i]![what]);
      return half(ratios).toFixed(2);
    };
    return [...servers.keys()].map((name) => {
      const [own, found] = [slices.get(name)!, latencies.get(name)!];
      const ratios = name === GATEWAY ? ['', ''] : [beside('perSecond', name), beside('cpuMicros', name)];
      return [
        ...[`${bytes} bytes: ${name}`, half(own.map(({ perSecond }) => perSecond)).toFixed(0)],
        ...[percentile(found, 0.5).toFixed(2), percentile(found, 0.99).toFixed(2)],
        ...[half(own.map(({ cpuMicros }) => cpuMicros)).toFixed(0), ...ratios],
      ];
    });
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    await node.stop();
  }
}

const peers = await installPeer('gateway');
const rows: string[][] = [];
for (const bytes of values.sizes.split(',')) rows.push(...(await measure(bytes, peers)));
printTable(
  ['answer and server', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'gateway’s rate to it', 'gateway’s CPU to it'],
  rows,
);
console.log('\ngoal: a rate of 0.7 of the bare proxy');
