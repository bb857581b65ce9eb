import assert from 'node:assert';
import type { Hex } from '#libs/core/ids.js';
import type { Steps } from '#libs/core/steps.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { Changes } from '../changes.js';
import type { KeyedState, KeyedStateOptions } from '../keyed-state.js';
import type { RewindPoint } from '../sealed-store.js';
import { prefixRange, type Space } from '../space.js';
import { differences, NaiveState, text, type Values } from './naive-state.js';
import { balanceKey, balances, notes, testSpaces, tickKey, ticks } from './test-spaces.js';

/** Opens the same state again after `drop`, with what was committed. */
export interface StateHarness {
  open(options: KeyedStateOptions): Promise<KeyedState>;
  close(): Promise<void>;
}

class Killed extends Error {}

const KEYS = 40;
const GROUPS = 4;
const TICKS = 12;

/**
 * A random history of blocks, retractions, seals, commits, kills and rewinds, compared with the naive model after each step.
 * Throws at the first difference.
 */
export class RandomHistory {
  private readonly model = new NaiveState();
  private state!: KeyedState;
  private killAt: string | null = null;
  private warming: Promise<unknown>[] = [];
  /** Model version of each position that was committed. */
  private readonly committedAt = new Map<number, number>();

  constructor(
    private readonly random: SeededRandom,
    private readonly harness: StateHarness,
  ) {}

  async run(steps: number): Promise<KeyedState> {
    await this.open();
    for (let step = 0; step < steps; step++) {
      await this.oneStep();
      this.compare();
    }
    await Promise.all(this.warming.splice(0));
    this.compare();
    return this.state;
  }

  get values(): Values {
    return this.model.values;
  }

  private async oneStep(): Promise<void> {
    const { random } = this;
    const kind = random.int(0, 99);
    if (kind < 50) this.block();
    else if (kind < 64) this.retract();
    else if (kind < 78) this.seal();
    else if (kind < 88) await this.commit();
    else if (kind < 92) await this.kill();
    else if (kind < 95) await this.rewind();
    else await this.warm();
  }

  /** It may end long after it was asked for: what was committed, retracted or rewound meanwhile must not come back. */
  private async warm(): Promise<void> {
    const { random, state } = this;
    const keys = Array.from({ length: random.int(1, 20) }, () => anyKey(random.int(0, KEYS)));
    const done = Promise.all([
      state.warm(balances as Space<never>, keys),
      state.warm(ticks as Space<never>, [tickKey(random.int(0, GROUPS), random.int(-TICKS, TICKS))]),
    ]);
    if (random.chance(0.5)) await done;
    else this.warming.push(done);
  }

  private block(): void {
    const { random, state, model } = this;
    const position = model.nextPosition;
    const before = model.values;
    state.beginBlock(position);
    const sets = Array.from({ length: random.int(0, 12) }, () => this.randomSet());
    for (const { space, key, value } of sets) {
      const keyed = state.space(space);
      if (random.chance(0.3)) keyed.replace(key, keyed.get(key), value as never);
      else keyed.set(key, value as never);
    }
    const changes = state.endBlock();
    model.block(position, sets);
    this.compareChanges(changes, differences(before, model.values));
  }

  private randomSet(): { space: Space<never>; key: Hex; value: unknown } {
    const { random } = this;
    const gone = random.chance(0.2);
    switch (random.int(0, 2)) {
      case 0:
        return {
          space: balances as Space<never>,
          key: anyKey(random.int(0, KEYS)),
          value: gone ? null : random.bits(200),
        };
      case 1: {
        const key = tickKey(random.int(0, GROUPS), random.int(-TICKS, TICKS));
        return {
          space: ticks as Space<never>,
          key,
          value: gone ? null : { gross: random.bits(90), net: -random.bits(90) },
        };
      }
      default:
        return {
          space: notes as Space<never>,
          key: balanceKey(random.int(0, 5)),
          value: gone ? null : random.hex(random.int(0, 3_000)),
        };
    }
  }

  private retract(): void {
    const { random, state, model } = this;
    const to = random.int(model.sealed, model.versions.length - 1);
    const target = model.versions[to]!.position;
    const before = model.values;
    const height = target?.height ?? 0;
    assert.equal(state.canRetractTo(height), true);
    const changes = state.retractTo(height);
    model.retractTo(to);
    this.compareChanges(changes, differences(before, model.values));
    const sealed = model.versions[model.sealed]!.position;
    if (sealed !== null) {
      assert.equal(state.canRetractTo(sealed.height - 1), false);
      assert.throws(() => state.retractTo(sealed.height - 1), { code: 'retract_out_of_reach' });
    }
  }

  private seal(): void {
    const { model } = this;
    const to = this.random.int(model.sealed, model.versions.length - 1);
    this.state.seal(model.versions[to]!.position?.height ?? 0);
    model.sealed = to;
  }

  private async commit(): Promise<void> {
    const { model } = this;
    const sealed = model.sealed;
    const done = this.state.commit();
    // It is awaited below, unless a comparison fails first.
    done.catch(() => undefined);
    // What comes while the commit is under way is not part of it.
    if (this.random.chance(0.7)) {
      for (let more = this.random.int(0, 3); more > 0; more--) {
        this.block();
        if (this.random.chance(0.5)) this.retract();
        if (this.random.chance(0.5)) this.seal();
        this.compare();
      }
    }
    await done;
    this.noteCommit(sealed);
  }

  private noteCommit(version: number): void {
    this.model.committed = version;
    const { position } = this.model.versions[version]!;
    if (position !== null) this.committedAt.set(position.seq, version);
    assert.deepEqual(this.state.committed, position);
  }

  /** The process ends, perhaps in the middle of a commit, and what was committed is opened again. */
  private async kill(): Promise<void> {
    const { random, model } = this;
    const { sealed } = model;
    const due = model.versions[sealed]!.position !== model.versions[model.committed]!.position;
    if (due && random.chance(0.7)) {
      this.killAt = random.pick(['state.before-commit', 'state.after-commit']);
      const committed = this.killAt === 'state.after-commit';
      await assert.rejects(this.state.commit(), (error) => error instanceof Killed);
      assert.throws(() => this.state.beginBlock(model.nextPosition), { code: 'state_failed' });
      this.killAt = null;
      if (committed) {
        model.committed = sealed;
        this.committedAt.set(model.versions[sealed]!.position!.seq, sealed);
      }
    }
    await Promise.all(this.warming.splice(0));
    await this.state.close();
    model.restart();
    await this.open();
  }

  private async rewind(): Promise<void> {
    const { model, state } = this;
    const point = this.random.pick(state.keptStates());
    const before = model.values;
    const version = point.position === null ? 0 : this.committedAt.get(point.position.seq)!;
    assert.deepEqual(model.versions[version]!.position, point.position);
    if (this.random.chance(0.3)) {
      await this.killInRewind(point, version);
      return;
    }
    const changes = await state.rewind(point);
    model.rewindTo(version);
    assert.deepEqual(state.committed, point.position);
    this.compareChanges(changes, differences(before, model.values));
  }

  /** Before its transaction nothing has happened, after it all of it. */
  private async killInRewind(point: RewindPoint, version: number): Promise<void> {
    const { model, state } = this;
    this.killAt = this.random.pick(['state.before-rewind', 'state.after-rewind']);
    const restored = this.killAt === 'state.after-rewind';
    await assert.rejects(state.rewind(point), (error) => error instanceof Killed);
    assert.throws(() => state.seal(0), { code: 'state_failed' });
    this.killAt = null;
    if (restored) model.rewindTo(version);
    await Promise.all(this.warming.splice(0));
    await state.close();
    model.restart();
    await this.open();
  }

  private async open(): Promise<void> {
    const steps: Steps = async (name) => {
      if (name === this.killAt) throw new Killed();
    };
    this.state = await this.harness.open({ cacheEntries: this.random.pick([0, 4, 1_000]), steps });
    assert.deepEqual(this.state.committed, this.model.head);
  }

  /** A key that was set to what it had may be listed; each that differs must be, and what is listed must be right. */
  private compareChanges(changes: Changes, expected: Map<string, [unknown, unknown]>): void {
    const listed = new Map<string, [unknown, unknown]>();
    for (const space of testSpaces) {
      for (const [key, { before, after }] of changes.of(space as Space<unknown>)) {
        if (text(before) !== text(after)) listed.set(`${space.name}/${key}`, [before, after]);
      }
    }
    assert.deepEqual(sortedEntries(listed), sortedEntries(expected));
  }

  private compare(): void {
    const { model, state, random } = this;
    assert.deepEqual(state.head, model.head);
    const at = random.int(model.sealed, model.versions.length - 1);
    const above = model.versions[at + 1]?.position ?? null;
    const height = (above?.height ?? (model.versions[at]!.position?.height ?? 0) + 1) - 1;
    assert.deepEqual(state.around(height), { at: model.versions[at]!.position, above });
    for (const space of testSpaces as readonly Space<unknown>[]) {
      const expected = model.values.get(space.name) ?? new Map<Hex, unknown>();
      const keyed = state.space(space);
      const all = [...expected].sort(byKey);
      assert.equal(text(keyed.range({ from: '', to: null })), text(all));
      const key = all.length > 0 && random.chance(0.5) ? random.pick(all)[0] : anyKey(random.int(0, KEYS));
      assert.equal(text(keyed.get(key)), text(expected.get(key) ?? null));
    }
    this.compareRange();
  }

  private compareRange(): void {
    const { model, state, random } = this;
    const group = random.int(0, GROUPS);
    const [reverse, limit] = [random.chance(0.5), random.int(1, 30)];
    const whole = prefixRange(tickKey(group, 0).slice(0, 4));
    const [low, high] = [random.int(-TICKS, TICKS), random.int(-TICKS, TICKS)];
    const some = {
      from: tickKey(group, Math.min(low, high)),
      to: tickKey(random.int(group, GROUPS), Math.max(low, high)),
    };
    for (const { from, to } of [whole, some]) {
      const expected = [...(model.values.get('ticks') ?? [])].filter(([key]) => key >= from && key < to!).sort(byKey);
      if (reverse) expected.reverse();
      const found = state.space(ticks).range({ from, to, reverse, limit });
      assert.equal(text(found), text(expected.slice(0, limit)));
    }
  }
}

const byKey = ([a]: [Hex, unknown], [b]: [Hex, unknown]): number => (a < b ? -1 : 1);
const sortedEntries = (map: Map<string, [unknown, unknown]>): string =>
  text([...map].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Long keys, and short ones of which some begin with others. */
function anyKey(at: number): Hex {
  if (at % 2 === 0) return balanceKey(at);
  return (at % 251).toString(16).padStart(2, '0') + '00'.repeat(at % 3);
}
