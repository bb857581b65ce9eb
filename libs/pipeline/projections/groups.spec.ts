import { UndecodableError } from '#libs/core/errors.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { groupHash } from '#libs/protocol/codec/group-hash.js';
import { toJson } from '#libs/protocol/codec/group-json.js';
import { peekEnvelope } from '#libs/protocol/codec/peek-envelope.js';
import { goldenFacts } from '#libs/protocol/codec/test/golden-groups.js';
import { RandomGroups } from '#libs/protocol/codec/test/random-groups.js';
import type { FactsBlock, FactsGroup } from '#libs/protocol/facts.js';
import { decodeFactsGroup, encodeFactsGroup } from './facts-codec.js';

/** The full counts on a busy machine take minutes. */
const longMs = 600_000;
const baseSeed = testSeed(1);

interface Codec<Group> {
  record: 'blocks' | 'facts';
  random: (source: RandomGroups) => Group;
  encode: (group: Group) => Uint8Array;
  decode: (bytes: Uint8Array) => Group;
  /** Version of the form that is written. */
  version: number;
}

/** Titles of sections that the decoder stepped over. */
const skipped: string[] = [];

const blocks: Codec<BlocksGroup> = {
  record: 'blocks',
  random: (source) => source.blocks(),
  encode: encodeBlocksGroup,
  decode: decodeBlocksGroup,
  version: 1,
};
const facts: Codec<FactsGroup> = {
  record: 'facts',
  random: (source) => source.facts(),
  encode: encodeFactsGroup,
  decode: (bytes) => decodeFactsGroup(bytes, (title) => skipped.push(title)),
  version: 2,
};

function forSeeds(count: number, run: (source: RandomGroups) => void): void {
  for (let i = 0; i < Math.max(1, Math.round(count * scale)); i++) {
    const seed = baseSeed * 1_000_003 + i;
    try {
      run(new RandomGroups(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Decodes, or says null for UndecodableError; anything else is a failure of the codec. */
function decodeOrRefuse<Group>(codec: Codec<Group>, bytes: Uint8Array): Group | null {
  skipped.length = 0;
  try {
    return codec.decode(bytes);
  } catch (error) {
    if (error instanceof UndecodableError) return null;
    throw error;
  }
}

/** A group with a section that the decoder does not know is another group without it, and an older form encodes to the newest. */
const isAll = (codec: { version: number }, bytes: Uint8Array) => skipped.length === 0 && bytes[3] === codec.version;

/** Without its last sections a group of facts is another one, if they name nothing that the rest does not name. */
const startsSection = (rest: Uint8Array): boolean => /^.[a-z-]+@[0-9]/s.test(Buffer.from(rest).toString('latin1'));

/** Jest's own expect is too slow for tens of thousands of comparisons. */
function mustEncodeTo<Group>(codec: Codec<Group>, group: Group, bytes: Uint8Array): void {
  if (!Buffer.from(codec.encode(group)).equals(bytes))
    throw new Error(`encodes to other bytes: ${Buffer.from(bytes).toString('hex')}`);
}

function codecSuite<Group extends BlocksGroup | FactsGroup>(codec: Codec<Group>): void {
  it(
    'gives back every group exactly, from bytes that depend on nothing else',
    () => {
      forSeeds(5000, (source) => {
        const group = codec.random(source);
        const bytes = codec.encode(group);
        const decoded = codec.decode(bytes);
        expect(decoded).toStrictEqual(group);
        mustEncodeTo(codec, decoded, bytes);
        const inside = new Uint8Array(bytes.length + 9);
        inside.set(bytes, 5);
        expect(codec.decode(inside.subarray(5, 5 + bytes.length))).toStrictEqual(group);
      });
    },
    longMs,
  );

  it(
    'shows the envelope without decoding the body',
    () => {
      forSeeds(500, (source) => {
        const group = codec.random(source);
        const { kind, chain, epoch, seq, height, hash, parentHash, time } = group;
        const envelope = {
          record: codec.record,
          version: codec.version,
          kind,
          chain,
          epoch,
          seq,
          height,
          hash,
          parentHash,
          time,
        };
        const inputHash = 'inputHash' in group ? group.inputHash : null;
        expect(peekEnvelope(codec.encode(group))).toStrictEqual({ ...envelope, inputHash });
      });
    },
    longMs,
  );

  it(
    'refuses every truncation and every trailing byte',
    () => {
      forSeeds(100, (source) => {
        const bytes = codec.encode(codec.random(source));
        for (let length = 0; length < bytes.length; length++) {
          const cut = bytes.subarray(0, length);
          const decoded = decodeOrRefuse(codec, cut);
          if (decoded === null) continue;
          if (codec.record !== 'facts' || !startsSection(bytes.subarray(length)))
            throw new Error(`accepted ${length} bytes`);
          mustEncodeTo(codec, decoded, cut);
        }
        for (const extra of [0, 1, 0x7f, 0xff]) {
          expect(() => codec.decode(Buffer.concat([bytes, Buffer.from([extra])]))).toThrow(UndecodableError);
        }
      });
    },
    longMs,
  );

  it(
    'answers mutated bytes with UndecodableError or with a group that encodes to those very bytes',
    () => {
      let refused = 0;
      let accepted = 0;
      forSeeds(40_000, (source) => {
        const bytes = Buffer.from(codec.encode(codec.random(source)));
        for (let flips = 1 + source.int(3); flips > 0; flips--) {
          const at = source.int(bytes.length);
          bytes[at] = source.pick([bytes[at]! ^ (1 << source.int(8)), 0, 0xff, 0x80, source.int(256)]);
        }
        const decoded = decodeOrRefuse(codec, bytes);
        if (decoded === null) refused++;
        else if (isAll(codec, bytes)) {
          accepted++;
          mustEncodeTo(codec, decoded, bytes);
        }
      });
      expect(refused).toBeGreaterThan(0);
      expect(accepted).toBeGreaterThan(0);
    },
    longMs,
  );

  it(
    'answers spliced groups and noise in the same way',
    () => {
      forSeeds(20_000, (source) => {
        const left = codec.encode(codec.random(source));
        const right = codec.encode(codec.random(source));
        const spliced = Buffer.concat([
          left.subarray(0, source.int(left.length + 1)),
          right.subarray(source.int(right.length + 1)),
        ]);
        const noise = Buffer.from(Array.from({ length: source.int(200) }, () => source.int(256)));
        const headed = Buffer.concat([left.subarray(0, Math.min(left.length, 60 + source.int(80))), noise]);
        for (const bytes of [spliced, noise, headed]) {
          const decoded = decodeOrRefuse(codec, bytes);
          if (decoded !== null && isAll(codec, bytes)) mustEncodeTo(codec, decoded, bytes);
        }
      });
    },
    longMs,
  );

  it(
    'writes JSON for people with amounts as strings',
    () => {
      forSeeds(200, (source) => {
        const group = codec.random(source);
        const parsed = JSON.parse(toJson(group)) as Record<string, unknown>;
        expect(parsed.seq).toBe(group.seq);
        expect(parsed.kind).toBe(group.kind);
      });
    },
    longMs,
  );
}

describe('blocks codec', () => codecSuite(blocks));
describe('facts codec', () => codecSuite(facts));

describe('group codecs', () => {
  const finalize: BlocksGroup = {
    kind: 'finalize',
    chain: 'eth',
    epoch: 1,
    seq: 7,
    height: 3,
    hash: 'aa'.repeat(32),
    parentHash: 'bb'.repeat(32),
    time: 1_700_000_000_000,
    finalizedHeight: 2,
  };

  it('does not read one record type as the other', () => {
    expect(() => decodeFactsGroup(encodeBlocksGroup(finalize))).toThrow('a blocks group');
    const factsBytes = encodeFactsGroup({ ...finalize, inputHash: 'cc'.repeat(16) });
    expect(() => decodeBlocksGroup(factsBytes)).toThrow('a facts group');
  });

  it('refuses an unknown magic, record type, version and kind', () => {
    const bytes = encodeBlocksGroup(finalize);
    for (const [at, reason] of [
      [0, 'not a group'],
      [1, 'not a group'],
      [2, 'unknown record type'],
      [3, 'unknown version 99'],
      [4, 'unknown kind'],
    ] as const) {
      const wrong = new Uint8Array(bytes);
      wrong[at] = 99;
      expect(() => decodeBlocksGroup(wrong)).toThrow(reason);
      expect(() => peekEnvelope(wrong)).toThrow(reason);
    }
  });

  it('believes no count that the bytes cannot hold', () => {
    const bytes = encodeBlocksGroup({
      ...finalize,
      kind: 'block',
      source: 'http',
      observedAt: 0,
      txs: [],
      tokens: [],
      pools: [],
      events: [],
      anchors: [],
    } as BlocksGroup);
    // The body ends with the counts of txs, tokens, pools, events and anchors, each 0.
    for (let back = 1; back <= 5; back++) {
      const head = bytes.subarray(0, bytes.length - back);
      const huge = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
      const before = process.memoryUsage().heapUsed;
      expect(() => decodeBlocksGroup(Buffer.concat([head, huge]))).toThrow('count');
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 << 20);
    }
  });

  it('refuses to encode what could not come back', () => {
    const base = decodeBlocksGroup(encodeBlocksGroup(finalize)) as BlocksGroup;
    const wrong: Partial<Record<string, unknown>>[] = [
      { hash: 'AA'.repeat(32) },
      { hash: 'abc' },
      { hash: 'aa'.repeat(65) },
      { parentHash: '0x00' },
      { chain: '' },
      { chain: 'é' },
      { seq: -1 },
      { seq: 1.5 },
      { epoch: -1 },
      { time: Number.NaN },
      { finalizedHeight: 2 ** 53 },
      { kind: 'sealed' },
    ];
    for (const change of wrong) {
      expect(() => encodeBlocksGroup({ ...base, ...change } as BlocksGroup)).toThrow('cannot encode');
    }
    expect(encodeBlocksGroup(base)).toEqual(encodeBlocksGroup(finalize));
  });

  it('refuses events out of order, of no transaction, and negative unsigned amounts', () => {
    const transfer = { kind: 'transfer', tx: 0, ordinal: 4, token: 'aa', from: 'bb', to: 'cc', amount: 1n } as const;
    const block = (...events: unknown[]): BlocksGroup =>
      ({
        ...finalize,
        kind: 'block',
        source: 'http',
        observedAt: 0,
        txs: [{ id: 'ee', index: 0, sender: 'ff' }],
        tokens: [],
        pools: [],
        events,
        anchors: [],
      }) as unknown as BlocksGroup;
    expect(decodeBlocksGroup(encodeBlocksGroup(block(transfer)))).toMatchObject({ events: [transfer] });
    expect(() => encodeBlocksGroup(block(transfer, transfer))).toThrow('ordinal 4 after 4');
    expect(() => encodeBlocksGroup(block({ ...transfer, tx: 1 }))).toThrow('transaction 1 of 1');
    expect(() => encodeBlocksGroup(block({ ...transfer, amount: -1n }))).toThrow('negative amount');
    expect(() => encodeBlocksGroup(block({ ...transfer, amount: 1n << 512n }))).toThrow('above 64 bytes');
    expect(() => encodeBlocksGroup(block({ ...transfer, kind: 'approval' }))).toThrow('event kind');
    expect(decodeBlocksGroup(encodeBlocksGroup(block(transfer)))).toMatchObject({ events: [transfer] });
  });

  it('refuses second spellings that random mutations seldom hit', () => {
    const block: BlocksGroup = {
      ...finalize,
      kind: 'block',
      source: 'http',
      observedAt: 0,
      txs: [{ id: 'e1e1', index: 0, sender: 'f2f2' }],
      tokens: [],
      pools: [],
      events: [{ kind: 'flow', tx: 0, ordinal: 0, pool: 'aabb', amount0: 0n, amount1: 0n }],
      anchors: [],
    };
    const negativeZero = encodeBlocksGroup(block);
    negativeZero[negativeZero.length - 2] = 0x80; // the last amount, before the count of anchors
    expect(() => decodeBlocksGroup(negativeZero)).toThrow('negative zero');

    const twice = Buffer.from(encodeBlocksGroup(block));
    twice.fill(0xe1, twice.indexOf('f2f2', 'hex'), twice.indexOf('f2f2', 'hex') + 2);
    expect(() => decodeBlocksGroup(twice)).toThrow('listed twice');

    const golden = goldenFacts.block as FactsBlock;
    const unpriced = { ...golden.trades[0]!, priceUsd: null, coinUsd: null, volumeUsd: null, volumeCoin: null };
    const none = { transfers: [], tokens: [], pools: [], poolStates: [], prices: [], references: [] };
    const spelledOut = encodeFactsGroup({ ...golden, ...none, trades: [unpriced, unpriced] });
    const second = spelledOut.length - 4 - 2 - 1; // two columns of two nulls and one of two ids follow
    expect(spelledOut[second]).toBe(0x7e);
    spelledOut[second] = 0x7f;
    expect(() => decodeFactsGroup(spelledOut)).toThrow('spelled out');
  });

  it('names a group by the first half of its SHA-256', () => {
    expect(groupHash(new Uint8Array())).toBe('e3b0c44298fc1c149afbf4c8996fb924');
    expect(groupHash(encodeBlocksGroup(finalize))).not.toBe(groupHash(encodeBlocksGroup({ ...finalize, seq: 8 })));
  });
});
