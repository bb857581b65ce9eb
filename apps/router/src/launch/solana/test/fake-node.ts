import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { TOKEN_PROGRAM_ID } from '#programs/client.js';
import { onSolanaNode } from '../../caller-node.js';
import type { BuiltLaunch, CreateOrder, SolanaLaunchBuilder } from '../../ports.js';

export const BLOCKHASH = '11'.repeat(32);
const UNITS = 150_000;
const LOADED = 400_000;
/** The limits that a transaction gets for these figures. */
export const LIMITS = {
  ...{ computeUnitLimit: 174_500, loadedAccountsDataSizeLimit: 458_752 },
  ...{ priorityFeeLamports: 0n, heapSize: null },
};

/** What a node that has a launchpad's program would answer a builder; what it was asked to run. */
export class FakeNode {
  readonly creator = new SeededKey('creator');
  readonly mint = new SeededKey('mint');
  readonly held = 5_000_000_000n;
  /** Of the first buy. */
  readonly given = 3_527_000_000_001n;
  /** What the transaction takes of the creator. */
  readonly spent = 1_020_510_000n;
  readonly tried: Buffer[] = [];
  /** Accounts that are there besides the creator's, by id. */
  readonly there = new Map<Hex, Buffer>();
  failure: unknown = null;
  private readonly server: Server;

  private constructor() {
    this.server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const asked = JSON.parse(Buffer.concat(parts).toString());
      const answers = [asked]
        .flat()
        .map(({ id, method, params }) => ({ jsonrpc: '2.0', id, result: this.answer(method, params) }));
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
    });
  }

  static async start(): Promise<FakeNode> {
    const node = new FakeNode();
    await new Promise<void>((done) => node.server.listen(0, '127.0.0.1', done));
    return node;
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()));
  }

  order(initialBuy: bigint): CreateOrder {
    return {
      chain: servedChains().find(({ family }) => family === 'solana')!,
      ...{ creator: this.creator.id, mint: this.mint.id, name: 'Spring Tide', symbol: 'TIDE' },
      ...{ description: '', image: 'https://x.example.com/y.png', links: {} },
      ...{ uri: 'https://x.example.com/y', initialBuy, slippageBps: 100 },
    };
  }

  build({ build }: SolanaLaunchBuilder, initialBuy: bigint): Promise<BuiltLaunch> {
    this.tried.splice(0);
    const rpcUrl = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    const { signal } = new AbortController();
    return onSolanaNode({ rpcUrl, trustedOrigin: rpcUrl, exchangeMs: 120_000 }, signal, (endpoint) =>
      build(endpoint, this.order(initialBuy), signal),
    );
  }

  private answer(method: string, params: unknown[]): unknown {
    const context = { slot: 300_000_000 };
    const blockhash = solanaIds.formatBlockHash(BLOCKHASH);
    if (method === 'getGenesisHash') return blockhash;
    if (method === 'getLatestBlockhash') return { context, value: { blockhash, lastValidBlockHeight: 5 } };
    if (method === 'getMultipleAccounts') {
      const value = (params[0] as string[]).map((address) => this.account(solanaIds.parseAddress(address)!));
      return { context, value };
    }
    if (method !== 'simulateTransaction') throw new Error(`the builder asked for ${method}`);
    this.tried.push(Buffer.from(params[0] as string, 'base64'));
    const tokens = Buffer.alloc(170);
    tokens.writeBigUInt64LE(this.given, 64);
    const accounts = [shown(this.held - this.spent, Buffer.alloc(0)), shown(2_000_000n, tokens)];
    const figures = { unitsConsumed: UNITS, loadedAccountsDataSize: LOADED, logs: [] };
    const { failure } = this;
    return { context, value: { err: failure, ...figures, accounts: failure === null ? accounts : null } };
  }

  private account(id: Hex): object | null {
    if (id === this.creator.id) return shown(this.held, Buffer.alloc(0));
    const data = this.there.get(id);
    return data === undefined ? null : shown(2_000_000n, data);
  }
}

const shown = (lamports: bigint, data: Buffer) => ({
  ...{ owner: solanaIds.formatAddress(TOKEN_PROGRAM_ID), lamports: Number(lamports), executable: false, rentEpoch: 0 },
  data: [data.toString('base64'), 'base64'],
});
