import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/event-log/log.js';
import { foldSpaces } from '#libs/fold/fold-spaces.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { HeapHome } from '#libs/state/heap-home.js';
import { randomHistory } from '#libs/testing/histories/random-history.js';
import { ProjectStage } from './project-stage.js';
import { ChainUnderTest, EPOCH, soon } from './test/chain-under-test.js';

const GROUPS = 40;

/** Takes longer for each group than a turn may, and notes the turn of the event loop in which it does. */
class SlowProject extends ProjectStage {
  readonly turns: number[] = [];
  private turn = 0;
  private timer = setImmediate(() => this.count());

  private count(): void {
    this.turn++;
    this.timer = setImmediate(() => this.count());
  }

  endCounting(): void {
    clearImmediate(this.timer);
  }

  protected override encode(facts: FactsGroup): Uint8Array {
    this.turns.push(this.turn);
    for (const end = performance.now() + 5; performance.now() < end; );
    return super.encode(facts);
  }
}

describe('a fold of many groups', () => {
  let dir = '';
  let log: EventLog;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tidepool-project-turns-'));
    log = await openEmbeddedLog({ dir });
  });
  afterAll(async () => {
    await log.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('gives others their turn after each that takes long, also while it compares what facts hold', async () => {
    const chain = 'turns';
    const under = new ChainUnderTest(log, chain, randomHistory(7, { chain, groups: GROUPS, retractions: 0 }).groups);
    await under.append(GROUPS);
    for (const compared of [0, GROUPS]) {
      // Without a state to continue from, what is in facts is compared.
      const home = new HeapHome(foldSpaces);
      const stage = new SlowProject({ log, chain, epoch: EPOCH, foldVersion: 3, home });
      const stop = new AbortController();
      const running = stage.run(stop.signal);
      try {
        const isDone = (): boolean => stage.status().seq === under.end && stage.turns.length >= GROUPS;
        await soon(isDone, () => JSON.stringify(stage.status()));
      } finally {
        stop.abort();
        await running;
        stage.endCounting();
      }
      expect(stage.status().detail).toMatchObject({ compared });
      expect(stage.turns).toEqual([...new Set(stage.turns)]);
      expect(stage.turns).toHaveLength(GROUPS);
    }
  });
});
