import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFunctionData, formatUnits, type Hex, numberToHex, parseAbi, toEventSelector } from 'viem';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { type LocalChain, type LocalSlug, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { HoldersAnswer, HoldingsAnswer } from '#libs/serve/contract/rest/holder-body.js';
import type { PositionsAnswer, TopWalletsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { EvmPipeline } from './evm-pipeline.js';

/** Holdings and positions of every account of a local EVM chain, of every token, compared with `balanceOf` at the same block. */
const seed = testSeed();
const HISTORY = Math.max(80, Math.round(300 * scale));
const REORGS = Math.max(4, Math.round(20 * scale));
const LIMIT_MS = 400_000;

const ABI = parseAbi(['function balanceOf(address) view returns (uint256)']);
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const DEPOSIT = toEventSelector('Deposit(address,uint256)');
const WITHDRAWAL = toEventSelector('Withdrawal(address,uint256)');

interface Log {
  readonly address: Hex;
  readonly topics: readonly Hex[];
}

const accountIn = (topic: Hex): string => `0x${topic.slice(26)}`;

/** By token, the accounts that some log of it names. */
async function namedAccounts(rpc: AnvilRpc, head: number): Promise<Map<string, Set<string>>> {
  const named = new Map<string, Set<string>>();
  for (let from = 0; from <= head; from += 500) {
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(Math.min(head, from + 499)) };
    const asked = { ...range, topics: [[TRANSFER, DEPOSIT, WITHDRAWAL]] };
    for (const { address, topics } of await rpc.call<Log[]>('eth_getLogs', [asked])) {
      // A token of its own kind has the fourth topic: it is no amount.
      if (topics[0] === TRANSFER ? topics.length !== 3 : topics.length !== 2) continue;
      const accounts = named.get(address.toLowerCase()) ?? new Set();
      named.set(address.toLowerCase(), accounts);
      for (const topic of topics.slice(1)) if (BigInt(topic) !== 0n) accounts.add(accountIn(topic).toLowerCase());
    }
  }
  return named;
}

/** What the chain says, by account and token; nothing where it has none. */
type Held = Map<string, Map<string, bigint>>;

describe.each(['eth', 'bsc', 'base', 'chaind'] as const)(
  `balances of the local chain of %s (seed ${seed})`,
  (slug: LocalSlug) => {
    const spec = chainSpec(slug)!;
    let dir: string;
    let chain: LocalChain;
    let rpc: AnvilRpc;
    let pipeline: EvmPipeline;

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'tidepool-balances-'));
      chain = await startLocalChain({
        ...{ chain: slug, dataDir: join(dir, 'chain'), seed, historyBlocks: HISTORY, autoMine: false },
      });
      rpc = new AnvilRpc(chain.rpcUrl);
      pipeline = await EvmPipeline.open(spec, { rpcUrl: chain.rpcUrl, wsUrl: chain.wsUrl, rpc });
    }, LIMIT_MS);

    afterAll(async () => {
      await pipeline?.close();
      await rpc?.close();
      await chain?.stop();
      await removeFolder(dir);
    }, LIMIT_MS);

    async function heldOnChain(named: ReadonlyMap<string, ReadonlySet<string>>): Promise<Held> {
      const pairs = [...named].flatMap(([token, accounts]) =>
        [...accounts].map((account) => [token, account] as const),
      );
      const held: Held = new Map();
      for (let from = 0; from < pairs.length; from += 500) {
        const asked = pairs.slice(from, from + 500);
        const answers = await rpc.view(
          asked.map(([to, account]) => ({
            to,
            data: encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [account as Hex] }),
          })),
        );
        for (const [index, [token, account]] of asked.entries()) {
          const own = held.get(account) ?? new Map<string, bigint>();
          held.set(account, own);
          const amount = BigInt(answers[index]!);
          if (amount > 0n) own.set(token, amount);
        }
      }
      return held;
    }

    /** What other routes, and the same one once more, say of tokens that are not shown. */
    async function shownElsewhere(account: string, own: ReadonlyMap<string, bigint>, shown: readonly string[]) {
      const { client } = pipeline;
      const missing = [...own.keys()].filter((token) => !shown.some((row) => row.startsWith(token))).slice(0, 3);
      const again = await client.get<HoldingsAnswer>(`/wallets/${slug}/${account}/holdings?limit=200`);
      const found = missing.map(async (token) => {
        const { complete, meta } = await client.get<HoldersAnswer>(`/tokens/${slug}/${token}/holders`);
        const positions = await client.get<PositionsAnswer>(`/tokens/${slug}/${token}/positions?wallets=${account}`);
        const [position] = positions.data;
        const nowShown = again.data.some((row) => row.token === token);
        return { token, nowShown, complete, block: meta.block, ...position };
      });
      return Promise.all(found);
    }

    /** Counts the balances that were compared. */
    async function compare(): Promise<{ holdings: number; positions: number; wrapped: number; shares: number }> {
      await pipeline.caughtUp();
      const head = Number(await rpc.call<Hex>('eth_blockNumber'));
      const named = await namedAccounts(rpc, head);
      const held = await heldOnChain(named);
      const decimals = new Map(chain.tokens.map(({ address, decimals }) => [address.toLowerCase(), decimals]));
      const { client } = pipeline;
      const counted = { holdings: 0, positions: 0, wrapped: 0, shares: 0 };
      const served = new Map<string, number>();
      for (const [account, own] of held) {
        const pages = await client.pages<HoldingsAnswer>(`/wallets/${slug}/${account}/holdings?limit=200`);
        const rows = pages.flatMap(({ data }) => data);
        for (const { meta } of pages) expect(meta.block).toBe(head);
        const units = (token: string): number => decimals.get(token) ?? launched.get(token) ?? 0;
        const launched = new Map(rows.filter(({ symbol }) => symbol !== null).map(({ token }) => [token, 18]));
        const shown = rows.map(({ token, amount }) => `${token} ${amount}`).sort();
        const expected = [...own].map(([token, amount]) => `${token} ${formatUnits(amount, units(token))}`).sort();
        const elsewhere = shown.join() === expected.join() ? null : await shownElsewhere(account, own, shown);
        expect({ seed, account, rows: shown, elsewhere }).toEqual({ seed, account, rows: expected, elsewhere: null });
        served.set(
          account,
          rows.reduce((sum, { valueUsd }) => sum + (valueUsd ?? 0), 0),
        );
        counted.holdings += rows.length;
        counted.wrapped += Number(own.has(`0x${spec.wrappedNative.token}`));
        counted.shares += rows.filter(({ symbol }) => symbol === null).length;
      }
      for (const [token, units] of decimals) {
        const accounts = [...(named.get(token) ?? [])];
        for (let from = 0; from < accounts.length; from += 10) {
          const wallets = accounts.slice(from, from + 10);
          const path = `/tokens/${slug}/${token}/positions?wallets=${wallets.join()}`;
          const { data } = await client.get<PositionsAnswer>(path);
          const found = data.map(({ wallet, balance, balanceUnknown }) => [wallet, balance, balanceUnknown]);
          expect({ seed, token, found }).toEqual({
            ...{ seed, token },
            found: wallets.map((wallet) => [wallet, formatUnits(held.get(wallet)!.get(token) ?? 0n, units), null]),
          });
          counted.positions += data.length;
        }
      }
      const top = await client.get<TopWalletsAnswer>(`/wallets/top?chain=${slug}&limit=200`);
      if (top.meta.chains[slug]!.block === head) {
        for (const { wallet, valueUsd } of top.data) {
          expect(valueUsd! / (served.get(wallet) || 1)).toBeCloseTo(served.get(wallet) ? 1 : 0, 9);
        }
      }
      expect(pipeline.errors).toEqual([]);
      return counted;
    }

    it(
      'are those of the contracts, through reorganisations',
      async () => {
        const first = await compare();
        expect(Math.min(...Object.values(first))).toBeGreaterThan(0);
        for (let n = 0; n < REORGS; n++) {
          for (let i = 0; i < 3; i++) await chain.mine();
          await chain.reorg(1 + (n % 6));
          await chain.mine();
          if (n % 4 === 3) await compare();
        }
        const last = await compare();
        for (const [kind, count] of Object.entries(last)) {
          expect([kind, count >= first[kind as keyof typeof first] / 2]).toEqual([kind, true]);
        }
        expect(last.holdings).toBeGreaterThan(200);
      },
      LIMIT_MS,
    );
  },
);
