import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keccak256 } from 'viem';
import type { Hex } from '#libs/core/ids.js';
import { until } from '#libs/devkit/testing/until.js';

/** One JSON-RPC question to a local node. */
export async function rpc<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await reply.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** The code at an address as an operator would pin it. */
export async function codeHash(url: string, address: Hex): Promise<Hex> {
  return keccak256(await rpc<`0x${string}`>(url, 'eth_getCode', `0x${address}`, 'latest')).slice(2);
}

/** A node behind a URL with a key, which can be out of reach. */
export class Gateway {
  down = false;
  requests = 0;
  /** Addresses whose code was asked for. */
  readonly codes: string[] = [];
  /** Refuses calls that create. */
  callsOnly = false;
  /** Chain id that it claims instead of the node's. */
  chainId: number | null = null;
  private constructor(private readonly server: Server) {}

  static async open(target: string): Promise<Gateway> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        gateway.requests++;
        if (gateway.down) {
          request.socket.destroy();
          return;
        }
        const asked = Buffer.concat(chunks).toString();
        for (const [, address] of asked.matchAll(/"eth_getCode","params":\["0x([0-9a-f]{40})"/g))
          gateway.codes.push(address!);
        if (gateway.callsOnly && asked.includes('"params":[{"data"')) {
          const { id } = JSON.parse(asked) as { id: number };
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'missing field to' } }));
          return;
        }
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: asked };
        fetch(target, init)
          .then((reply) => reply.text())
          .then((text) => response.end(gateway.answer(asked, text)))
          .catch(() => request.socket.destroy());
      });
    });
    const gateway = new Gateway(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  private answer(asked: string, text: string): string {
    if (this.chainId === null || !asked.includes('eth_chainId')) return text;
    const questions = [JSON.parse(asked)].flat() as { id: number; method: string }[];
    const { id } = questions.find(({ method }) => method === 'eth_chainId')!;
    const answers = JSON.parse(text) as { id: number } | { id: number }[];
    const changed = [answers].flat().map((one) => (one.id === id ? { ...one, result: `0x${this.chainId}` } : one));
    return JSON.stringify(Array.isArray(answers) ? changed : changed[0]);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v2/very-secret-key`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Waits until what is seen holds, and answers it. */
export async function untilSeen<T>(look: () => T, holds: (seen: T) => boolean): Promise<T> {
  let seen = look();
  const isSo = (): boolean => {
    seen = look();
    return holds(seen);
  };
  await until(String(holds), isSo, { everyMs: 20, howFar: () => seen });
  return seen;
}
