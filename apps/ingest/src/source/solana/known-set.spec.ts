import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import type { PublishedChain, SourceBlock } from '#libs/chain/chains/source-port.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { recorded } from '#libs/devkit/testing/solana/recorded-solana.js';
import { sourceNeedsFrom } from '#libs/pipeline/state/saved/source-needs.js';
import type { BlocksGroup, TokenRecord } from '#libs/protocol/blocks.js';
import { writeOldCopy } from '../test/old-copy.js';
import { SolanaBlockDecoding, SolanaKeeper } from './decoding.js';
import { SolanaKnownSet } from './known-set.js';
import type { RawSolanaBlock } from './raw-block.js';
import { blockOf, GivenAccounts, tables } from './test/recorded-blocks.js';

/** Random chains of recorded transactions, with skipped slots and branches that replace what came before. */
const signal = AbortSignal.timeout(120_000);
const reads = new GivenAccounts();
const state = (known: SolanaKnownSet): string[] => [...known.rows()].map((row) => JSON.stringify(row)).sort();

async function decode(decoding: SolanaBlockDecoding, block: RawSolanaBlock): Promise<SourceBlock> {
  return decoding.build(block, await decoding.prepare([block], reads, signal));
}

/** What a source would have published: blocks and retractions as groups, and the surviving blocks. */
class RandomChain {
  readonly groups: BlocksGroup[] = [];
  survivors: { raw: RawSolanaBlock; block: SourceBlock }[] = [];
  readonly known = new SolanaKnownSet();
  private readonly decoding = new SolanaBlockDecoding(tables, this.known);
  private branch = 0;

  constructor(private readonly random: SeededRandom) {}

  async step(): Promise<void> {
    if (this.survivors.length > 0 && this.random.chance(0.25)) return this.retract();
    const parent = this.survivors.at(-1)?.raw.slot ?? 100;
    const slot = parent + 1 + (this.random.chance(0.2) ? this.random.int(1, 3) : 0);
    const entries = Array.from({ length: this.random.int(0, 6) }, () => this.random.pick(recorded));
    const raw = blockOf(slot, parent, entries, this.branch);
    const block = await decode(this.decoding, raw);
    this.survivors.push({ raw, block });
    this.groups.push({ ...block, ...this.envelope(), kind: 'block' });
  }

  private retract(): void {
    this.branch++;
    this.survivors.length -= this.random.int(1, this.survivors.length);
    const height = this.survivors.at(-1)?.raw.slot ?? 100;
    this.decoding.rollback(height);
    const place = { height, hash: '', parentHash: '', time: 0 };
    this.groups.push({ ...place, ...this.envelope(), kind: 'retract', fromSeq: 0 });
  }

  private envelope(): { chain: string; epoch: number; seq: number } {
    return { chain: 'sol', epoch: 1, seq: this.groups.length };
  }
}

const seeds = propertySeeds(scaled(100, 5));

test.each(seeds)('after any retractions it knows what the surviving blocks recorded (seed %i)', async (seed) => {
  const chain = new RandomChain(new SeededRandom(seed));
  for (let steps = 0; steps < 40; steps++) await chain.step();
  const known = new SolanaKnownSet();
  const decoding = new SolanaBlockDecoding(tables, known);
  for (const { raw, block } of chain.survivors) expect(await decode(decoding, raw)).toEqual(block);
  expect(state(chain.known)).toEqual(state(known));
  expect(chain.known.size).toEqual(known.size);
  const rebuilt = new SolanaKnownSet();
  for (const group of chain.groups) rebuilt.apply(group);
  expect(state(rebuilt)).toEqual(state(known));
  expect(rebuilt.size).toEqual(known.size);
  const restored = new SolanaKnownSet();
  for (const row of rebuilt.rows()) restored.restore(JSON.parse(JSON.stringify(row)));
  for (const set of [rebuilt, restored]) {
    const half = chain.survivors[Math.floor(chain.survivors.length / 2)]?.raw.slot ?? 0;
    set.rollback(half);
    const fresh = new SolanaKnownSet();
    for (const { block } of chain.survivors) {
      if (block.height <= half) fresh.apply({ ...block, kind: 'block', chain: 'sol', epoch: 1, seq: 0 });
    }
    expect(state(set)).toEqual(state(fresh));
    expect(set.size).toEqual(fresh.size);
  }
});

test('blocks that leave the published chain are prepared as of the block that they continue', async () => {
  const entries = recorded.slice(0, 40);
  const known = new SolanaKnownSet();
  const decoding = new SolanaBlockDecoding(tables, known);
  await decode(decoding, blockOf(101, 100, []));
  await decode(decoding, blockOf(102, 101, entries));
  expect(known.size.pools).toBeGreaterThan(5);
  const other = blockOf(103, 101, entries, 1);
  const prepared = await decoding.prepare([other], reads, signal);
  decoding.rollback(101);
  expect(known.size).toEqual({ pools: 0, tokens: 0, vaults: 0 });
  expect(decoding.build(other, prepared).pools.length).toBeGreaterThan(5);
});

test('a block that was prepared without what it needs is refused, whole blocks that need nothing are not', async () => {
  const decoding = new SolanaBlockDecoding(tables, new SolanaKnownSet());
  const block = blockOf(101, 100, recorded.slice(0, 40));
  expect(() => decoding.build(block, { answers: new Map() })).toThrow(/slot 101 was prepared without the account/);
  expect(decoding.build(blockOf(102, 100, []), { answers: new Map() })).toMatchObject({ txs: [], events: [] });
});

test('tokens that said little are asked again, and what they say then is in a later block until that is taken back', async () => {
  let now = 0;
  const known = new SolanaKnownSet(undefined, { firstMs: 10, now: () => now });
  const decoding = new SolanaBlockDecoding(tables, known);
  const node = new GivenAccounts();
  const tokensOf = async (block: RawSolanaBlock): Promise<TokenRecord[]> =>
    decoding.build(block, await decoding.prepare([block], node, signal)).tokens;
  const tokens = await tokensOf(blockOf(101, 100, recorded.slice(0, 40)));
  expect(tokens.length).toBeGreaterThan(3);
  // A mint with a supply of seven.
  const data = new Uint8Array(82);
  data.set([7], 36);
  data.set([6, 1], 44);
  for (const { token } of tokens)
    node.accountsByAddress.set(solanaIds.formatAddress(token), { owner: TOKEN_PROGRAM, lamports: 1n, data });
  expect(await tokensOf(blockOf(102, 101, []))).toEqual([]);
  const again = async (slot: number): Promise<TokenRecord[]> => {
    now += 86_400_000;
    const records: TokenRecord[] = [];
    for (let n = 0; n <= tokens.length; n++) records.push(...(await tokensOf(blockOf(slot + n, slot + n - 1, []))));
    return records;
  };
  const told = await again(103);
  expect(told.length).toBeGreaterThan(3);
  const ids = new Set(tokens.map(({ token }) => token));
  expect(told.filter(({ token, totalSupply }) => !ids.has(token) || totalSupply !== 7n)).toEqual([]);
  expect(await again(203)).toEqual([]);
  decoding.rollback(102);
  expect(new Set(await again(303))).toEqual(new Set(told));
});

describe('beside the log', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-known-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test('a start reads the log from the copy on, or all of it where the copy is gone or of another log', async () => {
    const chain = new RandomChain(new SeededRandom(7));
    for (let steps = 0; steps < 30; steps++) await chain.step();
    const read: number[] = [];
    const published = (count: number, epoch = 1): PublishedChain => {
      const { kind, height, hash } = chain.groups[count - 1]!;
      return {
        epoch,
        seq: count - 1,
        last: { kind, height, hash },
        async *groups(from: number) {
          for (const group of chain.groups.slice(from, count)) {
            read.push(group.seq);
            yield group;
          }
        },
      } as Partial<PublishedChain> as PublishedChain;
    };
    const load = async (count: number, epoch?: number): Promise<string[]> => {
      read.length = 0;
      const keeper = new SolanaKeeper(tables, dir, 'sol', {});
      const decoding = (await keeper.load(published(count, epoch), signal)) as SolanaBlockDecoding;
      const loaded = state(decoding.known);
      await keeper.close();
      return loaded;
    };
    const fromLog = await load(20);
    expect(read).toHaveLength(20);
    expect(await sourceNeedsFrom(dir, 'sol', 1)).toBe(0);

    const keeper = new SolanaKeeper(tables, dir, 'sol', {});
    await keeper.load(published(20), signal);
    await keeper.save(published(20));
    await keeper.close();
    expect(await load(20)).toEqual(fromLog);
    expect(read).toEqual([19]);
    expect(await load(30)).toEqual(state(chain.known));
    expect(read).toEqual(Array.from({ length: 11 }, (_, n) => n + 19));

    // A set that runs ahead of the log is not committed.
    await keeper.load(published(30), signal);
    keeper.ahead();
    await keeper.save(published(30));
    await keeper.close();
    await load(30);
    expect(read).toHaveLength(11);
    await keeper.load(published(30), signal);
    keeper.ahead();
    await keeper.inStep(published(30));
    await keeper.save(published(30));
    await keeper.close();
    await load(30);
    expect(read).toEqual([29]);
    await load(30, 2);
    expect(read).toHaveLength(30);
  });

  test('a copy of a program before the store is taken over, and a start after it reads the store', async () => {
    const chain = new RandomChain(new SeededRandom(8));
    for (let steps = 0; steps < 30; steps++) await chain.step();
    const read: number[] = [];
    const last = chain.groups.length - 1;
    const published = {
      epoch: 1,
      seq: last,
      last: chain.groups[last]!,
      async *groups(from: number) {
        for (const group of chain.groups.slice(from)) {
          read.push(group.seq);
          yield group;
        }
      },
    } as Partial<PublishedChain> as PublishedChain;
    const middle = 12;
    const before = new SolanaKnownSet();
    for (const group of chain.groups.slice(0, middle + 1)) before.apply(group);
    const { kind, height, hash } = chain.groups[middle]!;
    await writeOldCopy(dir, 'sol', { epoch: 1, seq: middle, kind, height, hash }, before.rows());
    const keeper = new SolanaKeeper(tables, dir, 'sol', {});
    for (const expected of [last - middle + 1, 1]) {
      read.length = 0;
      const { known } = (await keeper.load(published, signal)) as SolanaBlockDecoding;
      expect([read.length, state(known)]).toEqual([expected, state(chain.known)]);
      await keeper.save(published);
      await keeper.close();
    }
  });
});
