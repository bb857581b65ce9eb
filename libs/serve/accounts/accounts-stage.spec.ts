import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneSeedAsked, propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { standardPrices } from '#libs/protocol/accounts/prices.js';
import { accountsTopic, usageTopic } from '#libs/protocol/topics.js';
import { AccountBook } from './account-book.js';
import { AccountsStage } from './accounts-stage.js';
import { AdmissionController } from './admission-controller.js';
import { Directory } from './directory.js';
import { MemorySpending } from './memory-spending.js';
import { UsageLedger } from './usage-ledger.js';

/** A process that follows the accounts of a log. */
class Process {
  readonly directory = new Directory();
  readonly ledger: UsageLedger;
  readonly admission: AdmissionController;
  readonly warned: object[] = [];
  failing: 'never' | 'before' | 'after' = 'never';
  private readonly stage: AccountsStage;
  private readonly end = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    log: EventLog,
    readonly name: string,
    now: () => number,
  ) {
    const { directory } = this;
    this.ledger = new UsageLedger(name, now);
    const spending = new MemorySpending(now, () => this.ledger.replicas);
    this.admission = new AdmissionController({
      ...{ directory, ledger: this.ledger, spending, prices: standardPrices, now, demo: { key: '', file: '' } },
    });
    this.stage = new AccountsStage({
      ...{ log: this.faulty(log), directory, ledger: this.ledger, writerId: `accounts.${name}`, now, pollMs: 5 },
      usageMs: 10,
      logger: { warn: (fields) => void this.warned.push(fields) },
      read: () => {
        this.admission.ready = true;
      },
    });
  }

  start(): this {
    // What a supervisor does.
    const run = async () => {
      while (!this.end.signal.aborted) await this.stage.run(this.end.signal).catch(() => undefined);
    };
    this.running = run();
    return this;
  }

  async stop(): Promise<void> {
    this.end.abort();
    await this.running;
  }

  /** One paid request, unless it is refused. */
  spend(key: string, credits: number): string {
    const caller = this.admission.authenticate(key);
    if (caller === null) return 'unknown';
    const answer = this.admission.admit(caller, { route: 'route', credits });
    if (answer instanceof Promise) throw new Error('in process every answer comes at once');
    if ('refused' in answer) return answer.refused;
    answer.settle(true);
    return 'paid';
  }

  private faulty(log: EventLog): EventLog {
    const process = this;
    return new Proxy(log, {
      get(target, name) {
        const value = target[name as keyof EventLog] as unknown;
        if (name !== 'openWriter') return typeof value === 'function' ? value.bind(target) : value;
        return async (writerId: string): Promise<LogWriter> => {
          const writer = await target.openWriter(writerId);
          const append: LogWriter['append'] = async (records) => {
            if (process.failing === 'before') throw new Error('the log does not answer');
            await writer.append(records);
            if (process.failing === 'after') throw new Error('the answer was lost');
          };
          return { writerId, append, holdsLease: () => writer.holdsLease(), close: () => writer.close() };
        };
      },
    });
  }
}

describe('accounts in the log', () => {
  let dir: string;
  let log: EventLog;
  const clock = { ms: Date.UTC(2026, 10, 24, 12) };
  const now = () => clock.ms;
  const processes: Process[] = [];
  let made = 0;
  const start = () => {
    const process = new Process(log, `p${made++}`, now).start();
    processes.push(process);
    return process;
  };
  const book = () => AccountBook.open(log, now);

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-account-log-'));
    log = await openEmbeddedLog({ dir });
  });
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.stop();
    await log.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('are known to every process: keys, plans, grants, and what is taken back', async () => {
    const [one, other] = [start(), start()];
    await (await book()).setPlan('Small', 0, 4);
    await (await book()).createAccount('a', 'A', 'Small', null);
    const { key, record } = await (await book()).createKey('a', { scopes: ['data'], name: 'first' });
    const known = (process: Process, given: string) => process.admission.authenticate(given) !== null;
    await until('the key', () => known(one, key) && known(other, key));
    expect(one.admission.authenticate(key)).toMatchObject({
      account: { id: 'a', credits: 4 },
      key: { scopes: ['data'] },
    });

    expect([one.spend(key, 3), one.spend(key, 2)]).toEqual(['paid', 'credits']);
    await until('its usage', () => other.ledger.totals('a').included === 3);
    expect([other.spend(key, 2), other.spend(key, 1), other.spend(key, 1)]).toEqual(['credits', 'paid', 'credits']);
    await (await book()).grant('a', 10, 'bought');
    await until('the grant', () => one.admission.authenticate(key)!.account.granted === 10);
    await until('all usage', () => one.ledger.totals('a').included === 4);
    expect(one.spend(key, 10)).toBe('paid');

    // A rotated key is accepted until its grace is over; the new one is there at once.
    const rotated = await (await book()).rotateKey(record.hash.slice(0, 16), 60_000);
    await until('the new key', () => known(one, rotated.key) && known(other, rotated.key));
    expect(known(one, key)).toBe(true);
    clock.ms += 60_000;
    expect([known(one, key), known(one, rotated.key)]).toEqual([false, true]);
    await (await book()).revokeKey(rotated.key);
    await until('its end', () => !known(one, rotated.key) && !known(other, rotated.key));
    await expect((await book()).revokeKey(rotated.key)).rejects.toThrow('was revoked');

    for (const topic of [accountsTopic, usageTopic]) {
      for (const [at, value] of await log.readCompacted(topic)) {
        for (const secret of [key, rotated.key]) expect(at + Buffer.from(value).toString()).not.toContain(secret);
      }
    }
    const late = start();
    await until('a late process', () => late.admission.ready);
    expect(late.ledger.totals('a')).toEqual({ included: 4, extra: 10 });
  });

  it('refuse what makes no sense, and say what is wrong', async () => {
    const accounts = await book();
    await accounts.createAccount('a', 'A', null, null);
    const refusals: [Promise<unknown>, string][] = [
      [accounts.createAccount('a', 'A', null, null), 'there is an account a already'],
      [accounts.createAccount('A b', 'A', null, null), 'is no account id'],
      [accounts.createAccount('b', 'B', 'Gold', null), 'there are Basic, Pro, Enterprise'],
      [accounts.grant('b', 5, ''), 'there is no account "b"'],
      [accounts.grant('a', 0, ''), 'at least 1 credit'],
      [accounts.createKey('a', { scopes: ['all'] }), 'there are data, router, launch, gateway'],
      [accounts.createKey('a', { origins: ['app.example'] }), 'is no origin'],
      [accounts.revokeKey('nothing'), 'there is no such key'],
      [accounts.setPlan('', 1, null), 'is no name of a plan'],
    ];
    for (const [refused, message] of refusals) await expect(refused).rejects.toThrow(message);
    await accounts.grant('a', Number.MAX_SAFE_INTEGER, '');
    await expect(accounts.grant('a', 1, '')).rejects.toThrow('at most');
  });

  it('a record that cannot be read is left, the others are read', async () => {
    await (await book()).createAccount('a', 'A', null, null);
    const writer = await log.openWriter('newer');
    await writer.append([{ topic: accountsTopic, key: 'key:x', value: Buffer.from('{"version":2,"kind":"key"}') }]);
    await writer.append([{ topic: usageTopic, key: 'x', value: Buffer.from('[') }]);
    await writer.close();
    const process = start();
    const { key } = await (await book()).createKey('a', {});
    await until('the key', () => process.admission.authenticate(key) !== null);
    expect(process.warned).toHaveLength(1);
  });

  const seen = { killed: 0, ended: 0, before: 0, after: 0, paid: 0 };
  it.each(propertySeeds(scaled(30, 4)))(
    'usage is what was paid, whatever fails and whoever is killed (seed %i)',
    async (seed) => {
      const random = new SeededRandom(seed);
      await (await book()).createAccount('a', 'A', null, 0);
      const { key } = await (await book()).createKey('a', {});
      const running = [start(), start()];
      let least = 0;
      let most = 0;
      for (let step = 0; step < 60; step++) {
        const at = random.int(0, running.length - 1);
        const process = running[at]!;
        const roll = random.next();
        if (roll < 0.7) {
          const credits = random.int(0, 5);
          if (process.spend(key, credits) === 'paid') {
            least += credits;
            most += credits;
            seen.paid++;
          }
        } else if (roll < 0.75) clock.ms += random.int(0, 86_400_000);
        else if (roll < 0.85) {
          process.failing = random.pick(['never', 'before', 'after'] as const);
          if (process.failing !== 'never') seen[process.failing]++;
        } else if (roll < 0.95) await new Promise((done) => setImmediate(done));
        else {
          const killed = random.chance(0.5);
          const open = process.ledger.unpublished();
          process.failing = killed ? 'before' : 'never';
          seen[killed ? 'killed' : 'ended']++;
          await process.stop();
          processes.splice(processes.indexOf(process), 1);
          // What a kill may lose is what was not stated yet, in the account's favour.
          if (killed) least -= open.reduce((sum, { record }) => sum + record.included + record.extra, 0);
          running[at] = start();
          await until('it has read', () => running[at]!.admission.ready);
        }
      }
      for (const process of running) process.failing = 'never';
      await until('everything stated', () => running.every(({ ledger }) => ledger.unpublished().length === 0));
      const sum = async () => {
        const rows = (await book()).usage('a', 400);
        return rows.reduce((all, { credits }) => all + credits, 0);
      };
      const stated = await sum();
      expect(stated).toBeLessThanOrEqual(most);
      expect(stated).toBeGreaterThanOrEqual(least);
      const totals = (process: Process) =>
        process.admission.usage('a', '2000-01-01').reduce((all, row) => all + row.credits, 0);
      await until('one count everywhere', () => running.every((process) => totals(process) === stated));
    },
  );
  it('met all of it', () => {
    if (oneSeedAsked) return;
    for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true]);
  });
});
