import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';

/**
 * A node that makes torn readings as likely as can be: the chain moves on between any two questions, some answers are older
 * ones, some come late or not at all. What it answers is true of the slot that it names.
 */
export interface FaultyNode {
  readonly url: string;
  /** No answers at all. */
  silent: boolean;
  readonly faults: { moved: number; stale: number; failed: number };
  close(): Promise<void>;
}

export async function faultyNode(target: string, random: SeededRandom, moveOn: () => void): Promise<FaultyNode> {
  const old = new Map<string, string>();
  const faults = { moved: 0, stale: 0, failed: 0 };
  const node = { silent: false };
  const answer = async (body: string): Promise<string | null> => {
    const { id, method, params } = JSON.parse(body);
    if (node.silent || random.chance(0.1)) {
      faults.failed++;
      return null;
    }
    if (method === 'getMultipleAccounts') {
      const key = params[0].join();
      const known = old.get(key);
      if (known !== undefined && random.chance(0.2)) {
        faults.stale++;
        return JSON.stringify({ ...JSON.parse(known), id });
      }
      if (random.chance(0.6)) {
        faults.moved++;
        moveOn();
      }
      const { minContextSlot: _, ...config } = params[1];
      const asked = JSON.stringify({ jsonrpc: '2.0', id, method, params: [params[0], config] });
      const given = await post(target, asked);
      if (random.chance(0.5)) old.set(key, given);
      if (random.chance(0.3)) moveOn();
      return given;
    }
    return post(target, body);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      void answer(Buffer.concat(chunks).toString()).then((text) => {
        if (text === null) response.writeHead(503).end();
        else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(node, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function post(url: string, body: string): Promise<string> {
  // A connection of its own: the node may close one that was idle at the moment when it is used again.
  const headers = { 'content-type': 'application/json' };
  return (await request(url, { method: 'POST', headers, body, reset: true })).body.text();
}
