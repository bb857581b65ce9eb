import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayHarness } from '#apps/api/test/gateway-harness.js';

/**
 * The servers of bench/gateway: a node that answers every question with the same result of the given size, or the
 * gateway's own listener in front of a node. Says its port, then its CPU time whenever it is asked; the gateway says its key too.
 */
const [kind, argument] = process.argv.slice(2) as ['node' | 'gateway', string];

async function node(): Promise<{ port: number }> {
  const answer = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"0x${'a'.repeat(Number(argument))}"}`);
  const chainId = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).includes('eth_chainId') ? chainId : answer;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { port: (server.address() as AddressInfo).port };
}

async function gateway(): Promise<{ port: number; key: string }> {
  const { url, key } = await GatewayHarness.start({ eth: [argument] });
  return { port: Number(new URL(url).port), key };
}

process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send!(await (kind === 'node' ? node() : gateway()));
