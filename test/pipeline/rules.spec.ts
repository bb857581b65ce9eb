import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { scaled } from '#libs/devkit/testing/seeded-random.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { joinByMarker, joinBySeq } from './chunk-joiners.js';
import { PipelineWorld, type WorldOptions } from './pipeline-world.js';
import * as off from './rules-off.js';

/**
 * Every rule of the protocol: with the rule on no seed finds anything, with it off some seed does, and for the reason that
 * the rule names. A rule whose "off" run stays green would be a rule that nothing here needs, or a test that sees nothing.
 */
type Variant = Partial<Omit<WorldOptions, 'seed' | 'history'>>;

interface Rule {
  rule: string;
  /** What both runs have in common: the faults and weaknesses around the rule. */
  around?: (history: readonly BlocksGroup[]) => Variant;
  off: (history: readonly BlocksGroup[]) => Variant;
  /** What is found when it is off. */
  reason: RegExp;
  /** A seed that shows it, tried before the others where those come late. */
  witness?: number;
}

const calm = { kill: 0, zombie: 0, lostAnswer: 0, age: 0 };
const rough = { kill: 0.06, zombie: 0.05, lostAnswer: 0.05, age: 0 };
/** A broker that keeps no seq of its own: only fencing and reading back protect. */
const kafkaLike = { compareAndAppend: false };

const rules: Rule[] = [
  {
    rule: '1 a writer fences first, then reads the last seq',
    around: () => ({ log: kafkaLike, faults: rough }),
    off: () => ({ log: { ...kafkaLike, fenceOnOpen: false } }),
    reason: /(blocks|facts): seqs are not 0..n once each|too many (?!none)/,
  },
  {
    rule: '2 after an unknown outcome a writer fences and reads again',
    around: () => ({ log: kafkaLike, faults: { ...calm, lostAnswer: 0.3 } }),
    off: () => ({ writer: off.RepeatFromMemory }),
    reason: /seqs are not 0..n once each/,
  },
  {
    rule: '3 one writer id per stage, chain and epoch',
    around: () => ({ faults: calm, builderId: 'project.eth.e2.f1' }),
    off: () => ({ builderId: 'project.eth.e1.f1' }),
    reason: /project\.eth\.e1\.f1 was fenced/,
  },
  {
    rule: '4 chunks carry seq, token, i and n; only a complete group counts',
    around: () => ({ chunks: joinBySeq, faults: { ...calm, kill: 0.02, lostAnswer: 0.2 } }),
    off: () => ({ chunks: joinByMarker }),
    reason: /blocks.eth.e1 seq \d+: blocks group: /,
  },
  {
    rule: '5 an append checks the fencing token and the next seq in one step',
    around: () => ({ faults: { ...rough, lostAnswer: 0 } }),
    off: () => ({ log: { checkToken: false, compareAndAppend: false } }),
    reason: /seqs are not 0..n once each/,
  },
  {
    rule: '7 facts have exactly one group per blocks group, under its seq',
    around: () => ({ faults: calm }),
    off: () => ({ project: off.DenseFacts }),
    reason: /(blocks|trades) of md_eth_g1: .* too many (?!none)/,
  },
  {
    rule: '8 values and position of the state are of one seq and load together',
    around: () => ({ faults: { ...calm, kill: 0.08 } }),
    off: () => ({ home: () => new off.TornState(foldSpaces) }),
    reason: /has no record|is not what folding|is not the head/,
  },
  {
    rule: '9 a committed state has the seq of its block, not that of the finalization',
    around: () => ({ faults: { ...calm, kill: 0.08 } }),
    off: () => ({ home: (log) => off.lateStamps(log) }),
    reason: /is not the head|the surviving head is/,
  },
  {
    rule: '9 a state is gone back to only where its block survived',
    witness: 7,
    around: () => ({ faults: { ...calm, kill: 0.04 } }),
    off: () => ({ project: off.UsesDeadStates }),
    reason: /is not the head|the surviving head is/,
  },
  {
    rule: '10 nothing is finalized on the way to the retraction that forced a refold',
    around: () => ({ project: off.RefoldAsItStands, faults: calm }),
    off: () => ({ project: off.FinalizesOnTheWay }),
    reason: /is below the sealed state/,
  },
  {
    rule: '11 states are kept back to the cut',
    witness: 2,
    around: (history) => ({ halfway: off.cutBelowRetractions(history), faults: calm }),
    off: () => ({ home: () => off.oneState() }),
    reason: /below the oldest kept state/,
  },
  {
    rule: '12 the cut of a log is never above what a consumer needs',
    around: () => ({ halfway: off.cutAtNewestState, mayEnd: true, faults: calm }),
    off: () => ({ halfway: off.cutBlindly }),
    reason: /no state reaches it|is missing, the first one kept/,
  },
  {
    rule: '12 a retraction below the oldest kept state ends the epoch',
    around: () => ({ halfway: off.cutAtNewestState, mayEnd: true, faults: calm }),
    off: () => ({ project: off.StopsInstead }),
    reason: /project: .*below the oldest kept state/,
  },
  {
    rule: '13 a retraction in facts carries the restored state',
    around: () => ({ faults: calm }),
    off: () => ({ project: off.BareRetractions }),
    reason: /pool states: /,
  },
  {
    rule: '14 recovery counts the rows of the intent first; only own inserts age the tokens',
    around: () => ({ faults: rough }),
    off: () => ({ store: { countFirst: false }, faults: { ...rough, age: 0.3 } }),
    reason: /trades of md_eth_g1: .* too many (?!none)/,
  },
  {
    rule: '15 intents under the fence, the lease checked before each insert',
    around: () => ({ faults: { ...rough, kill: 0.02, zombie: 0.2 } }),
    off: () => ({ log: { honestLease: false, checkToken: false, compareAndAppend: true } }),
    reason: /too many (?!none)|does not follow checkpoint/,
  },
  {
    rule: '16 the newest checkpoint row as a whole, never a maximum per column',
    around: () => ({ faults: calm }),
    off: () => ({ store: { wholeRow: false } }),
    reason: /candles of md_eth_g1/,
  },
  {
    rule: '17 seals are versions by log seq',
    witness: 8,
    around: () => ({ faults: calm }),
    off: () => ({ store: { sealSeq: false } }),
    reason: /pinned, seq \d+: candles/,
  },
  {
    rule: '18 a rebuild writes a version or a tombstone for every bucket it reopened',
    around: () => ({ faults: calm }),
    off: () => ({ store: { tombstones: false } }),
    reason: /candles of md_eth_g1: .* missing none; too many (?!none)/,
  },
  {
    rule: '19 purge only below the oldest view that is still honoured',
    around: () => ({ faults: calm }),
    off: () => ({ store: { purgeLate: false } }),
    reason: /pinned, seq \d+: blocks of md_eth_g1: .* missing (?!none)/,
  },
  {
    rule: '20 the tail is trimmed at the checkpoint, not at finality',
    around: () => ({ reader: {}, faults: calm }),
    off: () => ({ tail: off.trimAtFinality }),
    reason: /(blocks|trades) of .* missing (?!none)/,
  },
  {
    rule: '20 a checkpoint is adopted only from behind',
    around: () => ({ reader: {}, faults: calm }),
    off: () => off.adoptAhead,
    reason: /client at seq/,
  },
  {
    rule: '20 tables and tail of an answer come from one turn',
    around: () => ({ reader: {}, faults: calm }),
    off: () => ({ reader: { oneTurn: false } }),
    reason: /request at seq/,
  },
  {
    rule: '20 past a bound the tail does not grow',
    around: () => ({ reader: { bound: 20_000 }, sinkRests: true, faults: calm }),
    off: () => ({ reader: { bound: 20_000, keepsBound: false } }),
    reason: /the tail holds/,
  },
  {
    rule: '21 a replay flips only at or above the live checkpoint',
    witness: 190,
    around: () => ({ faults: calm, replay: true }),
    off: () => ({ flipBehind: true }),
    reason: /a reader went back/,
  },
];
const seedsOn = scaled(10);
const SEEDS_OFF = 150;

type Variation = (history: readonly BlocksGroup[]) => Variant;

async function problemsOf(seed: number, ...variations: (Variation | undefined)[]): Promise<string[]> {
  const { groups } = randomHistory(seed, { chain: 'eth', groups: 120, retractions: 0.12, deepest: 40 });
  const variant = Object.assign({}, ...variations.map((vary) => vary?.(groups))) as Variant;
  const world = new PipelineWorld({ seed, history: groups, faults: calm, ...variant });
  return off.withReader(variant, async () => {
    await world.run();
    return world.problems();
  });
}

describe('rules of the protocol (long)', () => {
  it.each(rules)(
    '$rule',
    async ({ around, off: switchedOff, reason, witness = 1 }) => {
      for (let seed = 1; seed <= seedsOn; seed++) {
        const problems = await problemsOf(seed, around);
        expect({ seed, problems }).toEqual({ seed, problems: [] });
      }
      let found: string[] = [];
      for (const seed of [witness, ...Array.from({ length: SEEDS_OFF }, (_, at) => 1 + at)]) {
        found = await problemsOf(seed, around, switchedOff);
        if (found.some((problem) => reason.test(problem))) break;
      }
      expect(found.join('\n')).toMatch(reason);
    },
    300_000,
  );

  it('6 facts that blocks do not give stop the stage at its next start', async () => {
    const forged = () => ({ tamper: off.forgeFacts });
    const trusting = () => ({ project: off.TrustingProject });
    expect((await problemsOf(1, forged)).join()).toContain('is not what folding');
    expect((await problemsOf(1, forged, trusting)).join()).not.toContain('is not what folding');
  });
});
