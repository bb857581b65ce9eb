import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { headerHash } from '#libs/chain/chains/evm/proof/header-hash.js';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { REPLAY_CHAIN_FILE } from '#libs/devkit/chain-replay/recorded-chain.js';
import type { Recording } from '#libs/devkit/chain-replay/recorded-survey.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { verdictOf } from './answer-proof.js';

/** What a node answers to questions by hash is taken as it is; answers of another hash, and headers with one digit changed, are not. */
type Fields = Record<string, unknown>;

const said = (method: string, params: unknown, result: unknown) =>
  verdictOf(method, JSON.stringify(params), new ByteChunks([Buffer.from(JSON.stringify(result))])).kind;

/** The header with one digit of one field of its encoding changed. */
function changed(random: SeededRandom, block: Fields): Fields {
  const names = Object.entries(block).flatMap(([name, value]) =>
    typeof value === 'string' && value.length > 2 && !['hash', 'size', 'totalDifficulty'].includes(name) ? [name] : [],
  );
  const name = random.pick(names);
  const value = block[name] as string;
  const at = 2 + random.below(value.length - 2);
  const digit = (Number.parseInt(value[at]!, 16) ^ (1 + random.below(15))).toString(16);
  return { ...block, [name]: value.slice(0, at) + digit + value.slice(at + 1) };
}

it('a node’s own answers stand; those of another hash and changed headers do not', async () => {
  await withSeed('answer proof', async (random) => {
    const chain = new ChainBuilder({ seed: random.below(2 ** 30) });
    chain.mine(30);
    const node = await startFaultRpc({ chain });
    const ask = async (method: string, params: unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      return ((await (await fetch(node.url, { method: 'POST', headers, body })).json()) as { result: unknown }).result;
    };
    const other = `0x${'ab'.repeat(32)}`;
    let [lists, headers] = [0, 0];
    try {
      for (let n = 0; n < scaled(400, 60); n++) {
        const { hash, transactions } = random.pick(chain.canonicalBlocks());
        const tx = transactions[0]?.hash;
        const [method, params, foreign] = random.pick<[string, unknown[], unknown[]]>([
          ['eth_getBlockByHash', [hash, random.chance(0.5)], [other, false]],
          ['eth_getBlockReceipts', [hash], [other]],
          ['eth_getBlockReceipts', [{ blockHash: hash }], [{ blockHash: other }]],
          ['eth_getLogs', [{ blockHash: hash }], [{ blockHash: other }]],
          ...(tx === undefined
            ? []
            : ([
                ['eth_getTransactionByHash', [tx], [other]],
                ['eth_getTransactionReceipt', [tx], [other]],
              ] as [string, unknown[], unknown[]][])),
        ]);
        const result = await ask(method, params);
        const isHeader = method === 'eth_getBlockByHash';
        expect([method, said(method, params, result)]).toEqual([method, isHeader ? 'proved' : 'open']);
        expect([method, said(method, params, null)]).toEqual([method, 'open']);
        const empty = Array.isArray(result) && result.length === 0;
        expect([method, said(method, foreign, result)]).toEqual([method, empty ? 'open' : 'inconsistent-response']);
        if (!empty) lists++;
        if (!isHeader) continue;
        headers++;
        expect(said(method, params, changed(random, result as Fields))).toBe('doubt');
        // What a later fork adds is not known here: nothing is said of it.
        expect(said(method, params, { ...changed(random, result as Fields), laterHash: other })).toBe('open');
      }
      expect(Math.min(lists, headers)).toBeGreaterThan(0);
    } finally {
      await node.close();
    }
  });
});

it('headers of a real chain have the hash that its nodes give', () => {
  const { blocks } = JSON.parse(gunzipSync(readFileSync(REPLAY_CHAIN_FILE)).toString('utf8')) as Recording;
  for (const block of blocks) expect(headerHash(block as unknown as Fields)).toBe(block.hash);
  expect(blocks.length).toBeGreaterThan(1_000);
});

it('what is no JSON is no answer', () => {
  const params = JSON.stringify([`0x${'ab'.repeat(32)}`, false]);
  expect(verdictOf('eth_getBlockByHash', params, new ByteChunks([Buffer.from('{"hash":tru}')])).kind).toBe(
    'inconsistent-response',
  );
});

it('what has no hash to prove it, or no sense, is not judged', () => {
  for (const [method, params] of [
    ['eth_getBlockByNumber', ['0x1', false]],
    ['eth_getBlockByHash', {}],
    ['eth_getBlockByHash', ['0x12']],
    ['eth_getLogs', [{ fromBlock: '0x1' }]],
    ['eth_getBlockReceipts', ['latest']],
    ['constructor', ['0x1']],
  ] as const) {
    expect([method, said(method, params, { hash: '0x1' })]).toEqual([method, 'open']);
  }
});
