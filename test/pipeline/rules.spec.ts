import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { type SequencedValue, SequencedWriter } from '#apps/ingest/src/stage.js';
import { randomHistory } from '#libs/fold/test/random-history.js';
import { decodeFactsGroup, encodeFactsGroup } from '#libs/protocol/codec/facts-codec.js';
import { factsTopic } from '#libs/protocol/topics.js';
import type { MemoryLog } from './memory-log.js';
import { MemorySnapshots, PipelineWorld, type WorldOptions } from './pipeline-world.js';

/**
 * Every rule of the protocol that a schedule over these ports can reach: with the rule on no seed finds anything, with it
 * off some seed does. A rule whose "off" run stays green would be a rule that nothing here needs, or a test that sees
 * nothing. (Rules 4, 20 and the chunk format are held by the log contract and the reader suites on their real parts.)
 */
type Variant = Partial<Omit<WorldOptions, 'seed' | 'history'>>;

interface Rule {
  rule: string;
  /** What both runs have in common: the faults and weaknesses around the rule. */
  around?: () => Variant;
  off: () => Variant;
}

const calm = { kill: 0, zombie: 0, lostAnswer: 0, age: 0 };
const rough = { kill: 0.06, zombie: 0.05, lostAnswer: 0.05, age: 0 };
/** A broker that keeps no seq of its own: only fencing and reading back protect. */
const kafkaLike = { compareAndAppend: false };

/** Repeats an append after an unknown outcome from memory instead of reading what the log holds. */
class RepeatFromMemory extends SequencedWriter {
  protected override async recover(groups: SequencedValue[]): Promise<void> {
    await this.open();
    await this.writer!.append(groups.flatMap((group) => this.records(group)));
    this.last = groups[groups.length - 1]!.seq;
  }
}

/** Starts where facts end without comparing what they hold with what blocks give. */
class TrustingProject extends ProjectStage {
  protected override sameFacts(): boolean {
    return true;
  }
}

/** Retractions in facts that carry no restored state. */
class BareRetractions extends ProjectStage {
  protected override encode(...[facts]: Parameters<typeof encodeFactsGroup>): Uint8Array {
    return encodeFactsGroup(facts.kind === 'retract' ? { ...facts, poolStates: [], removedPools: [] } : facts);
  }
}

/** Stamps a snapshot with a later seq than that of its block, as a finalize record's would be. */
class LateStamps extends MemorySnapshots {
  override save(seq: number, state: Uint8Array): Promise<void> {
    return super.save(seq + 9, state);
  }
}

/** Keeps only the newest snapshot and no genesis to fall back to. */
class OneSnapshot extends MemorySnapshots {
  override async save(seq: number, state: Uint8Array): Promise<void> {
    this.states.clear();
    await super.save(seq, state);
  }
}

/** Leaves snapshots of dead forks lying and serves them as if they stood on the surviving chain. */
class NeverDropped extends MemorySnapshots {
  override async dropFrom(): Promise<void> {}
}

function forgeFacts(log: MemoryLog): void {
  const { groups } = log.topic(factsTopic('eth', 1, 1).name);
  const index = groups.findLastIndex(({ value }) => {
    const group = decodeFactsGroup(value);
    return group.kind === 'block' && group.poolStates.length > 0;
  });
  const group = decodeFactsGroup(groups[index]!.value);
  if (group.kind !== 'block') throw new Error('not a block');
  const poolStates = group.poolStates.map((state) => ({ ...state, reserve0: state.reserve0 + 1n }));
  groups[index] = { seq: group.seq, value: encodeFactsGroup({ ...group, poolStates }) };
}

const rules: Rule[] = [
  {
    rule: '1 a writer fences first, then reads the last seq',
    around: () => ({ log: kafkaLike, faults: rough }),
    off: () => ({ log: { ...kafkaLike, fenceOnOpen: false } }),
  },
  {
    rule: '2 after an unknown outcome a writer fences and reads again',
    around: () => ({ log: kafkaLike, faults: { ...calm, lostAnswer: 0.3 } }),
    off: () => ({ writer: RepeatFromMemory }),
  },
  {
    rule: '3 one writer id per stage, chain and epoch',
    around: () => ({ faults: calm, builderId: 'project.eth.e2.f1' }),
    off: () => ({ builderId: 'project.eth.e1.f1' }),
  },
  {
    rule: '5 an append checks the fencing token and the next seq in one step',
    around: () => ({ faults: { ...rough, lostAnswer: 0 } }),
    off: () => ({ log: { checkToken: false, compareAndAppend: false } }),
  },
  {
    rule: '13 a retraction in facts carries the restored state',
    around: () => ({ faults: calm }),
    off: () => ({ project: BareRetractions }),
  },
  {
    rule: '14 recovery counts the rows of the intent first; only own inserts age the tokens',
    around: () => ({ faults: rough }),
    off: () => ({ store: { countFirst: false }, faults: { ...rough, age: 0.3 } }),
  },
  {
    rule: '15 intents under the fence, the lease checked before each insert',
    around: () => ({ faults: { ...rough, kill: 0.02, zombie: 0.2 } }),
    off: () => ({ log: { honestLease: false, checkToken: false, compareAndAppend: true } }),
  },
  {
    rule: '16 the newest checkpoint row as a whole, never a maximum per column',
    around: () => ({ faults: calm }),
    off: () => ({ store: { wholeRow: false } }),
  },
  {
    rule: '17 seals are versions by log seq',
    around: () => ({ faults: calm }),
    off: () => ({ store: { sealSeq: false } }),
  },
  {
    rule: '18 a rebuild writes a version or a tombstone for every bucket it reopened',
    around: () => ({ faults: calm }),
    off: () => ({ store: { tombstones: false } }),
  },
  {
    rule: '19 purge only below the oldest view that is still honoured',
    around: () => ({ faults: calm }),
    off: () => ({ store: { purgeLate: false } }),
  },
  {
    rule: '21 a replay flips only at or above the live checkpoint',
    around: () => ({ faults: calm, replay: true }),
    off: () => ({ flipBehind: true }),
  },
];

const scale = Number(process.env.TIDEPOOL_TEST_SCALE ?? '0.1');
const seedsOn = Math.max(4, Math.round(40 * scale));
const SEEDS_OFF = 150;

async function problemsOf(seed: number, variant: Variant): Promise<string[]> {
  const { groups } = randomHistory(seed, { groups: 120, retractions: 0.12, deepest: 40 });
  const world = new PipelineWorld({ seed, history: groups, faults: calm, ...variant });
  await world.run();
  return world.problems();
}

describe('rules of the protocol', () => {
  it.each(rules)(
    '$rule',
    async ({ around, off }) => {
      for (let seed = 1; seed <= seedsOn; seed++) {
        const problems = await problemsOf(seed, around?.() ?? {});
        expect({ seed, problems }).toEqual({ seed, problems: [] });
      }
      let found: string[] = [];
      for (let seed = 1; seed <= SEEDS_OFF && found.length === 0; seed++) {
        found = await problemsOf(seed, { ...around?.(), ...off() });
      }
      expect(found).not.toEqual([]);
    },
    300_000,
  );

  it('6 facts that blocks do not give stop the stage at its next start', async () => {
    expect((await problemsOf(1, { tamper: forgeFacts })).join()).toContain('is not what folding');
    expect((await problemsOf(1, { tamper: forgeFacts, project: TrustingProject })).join()).not.toContain(
      'is not what folding',
    );
  });

  it.each([
    ['9 a snapshot under the seq of its own block', LateStamps],
    ['11 the ladder never leaves only a snapshot above the retraction', OneSnapshot],
    ['9 snapshots of dead forks are not used', NeverDropped],
  ])('%s: a damaged shelf is seen or survived, never folded on', async (_, Shelf) => {
    for (let seed = 1; seed <= seedsOn; seed++) {
      const problems = await problemsOf(seed, { snapshots: new Shelf(), faults: { ...calm, kill: 0.08 } });
      expect({ seed, problems }).toEqual({ seed, problems: [] });
    }
  });
});
