import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type ChildArguments, groupValue } from '#libs/devkit/testing/log-groups.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '../log.js';
import { freshTopic, type LogHarness, never, readAll } from './log-fixtures.js';

/** Brings dist up to date: a child process cannot run TypeScript. */
export async function buildChild(): Promise<string> {
  await promisify(execFile)(process.execPath, [join('scripts', 'build.mjs')]);
  return join('dist', 'libs', 'pipeline', 'event-log', 'test', 'append-child.js');
}

class AppendChild {
  acknowledged = -1;
  readonly exited: Promise<void>;
  private readonly process: ChildProcess;
  private errors = '';
  private waiting: { seq: number; resolve: () => void; reject: (error: Error) => void }[] = [];

  constructor(script: string, args: ChildArguments) {
    this.process = spawn(process.execPath, [script, JSON.stringify(args)], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stderr!.on('data', (chunk: Buffer) => {
      this.errors += chunk.toString();
    });
    createInterface({ input: this.process.stdout! }).on('line', (line) => {
      const match = /^acknowledged (\d+)$/.exec(line);
      if (match) this.acknowledged = Number(match[1]);
      this.waiting = this.waiting.filter(({ seq, resolve }) => {
        if (this.acknowledged < seq) return true;
        resolve();
        return false;
      });
    });
    this.exited = new Promise((resolve) => {
      this.process.once('close', () => {
        for (const { reject } of this.waiting) reject(new Error(`the child ended: ${this.errors.slice(0, 2000)}`));
        resolve();
      });
    });
  }

  /** Resolves when this seq was acknowledged. */
  reaches(seq: number): Promise<void> {
    if (this.acknowledged >= seq) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiting.push({ seq, resolve, reject }));
  }

  async kill9(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
  }
}

/** A writer process is killed in the middle of its appends, again and again. */
export function killContract(context: () => { harness: LogHarness; log: EventLog }): void {
  test('kill -9 of the writer loses no acknowledged group and doubles none', async () => {
    const script = await buildChild();
    await withSeed('the kill test', (random) => killAgainAndAgain(script, random));
  }, 600_000);

  async function killAgainAndAgain(script: string, random: SeededRandom): Promise<void> {
    const { harness, log } = context();
    const [left, right] = [freshTopic(), freshTopic()];
    await log.ensureTopics([left, right]);
    const followed: number[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const batch of log.readGroups(left, { fromSeq: 0, signal: stop.signal })) {
        followed.push(...batch.map((r) => r.seq));
      }
    })();
    let end = -1;
    for (let round = 0; round < scaled(30, 3); round++) {
      const args = { ...harness.childArguments(), left, right, writerId: left.name };
      const child = new AppendChild(script, args);
      try {
        await child.reaches(end + 1 + random.below(120));
        await new Promise((resolve) => setTimeout(resolve, random.below(15)));
      } finally {
        await child.kill9();
      }
      const survivor = await log.openWriter(left.name);
      const last = (await log.lastGroup(left))?.seq ?? -1;
      expect(last).toBeGreaterThanOrEqual(child.acknowledged);
      expect((await log.lastGroup(right))?.seq ?? -1).toBe(last);
      await survivor.append([
        { topic: left, seq: last + 1, value: groupValue(last + 1) },
        { topic: right, seq: last + 1, value: groupValue(last + 1) },
      ]);
      await survivor.close();
      end = last + 1;
    }
    for (const topic of [left, right]) {
      const all = await readAll(log, topic);
      expect(all.map((r) => r.seq)).toEqual(Array.from({ length: end + 1 }, (_, seq) => seq));
      for (const { seq, value } of all) expect(groupValue(seq).equals(value)).toBe(true);
    }
    for await (const batch of log.readGroups(left, { fromSeq: end, signal: never() })) {
      expect(batch[0]!.seq).toBe(end);
      break;
    }
    await until('the last group', () => followed.at(-1) === end);
    stop.abort();
    await following;
    expect(followed).toEqual(Array.from({ length: end + 1 }, (_, seq) => seq));
  }
}
