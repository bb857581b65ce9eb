import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CursorSigner } from '#libs/core/cursor.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { secretsTopic } from '#libs/protocol/topics.js';
import { KEPT_MS, readSecrets, rotateSecrets, SETTLING_MS } from './secret-book.js';
import { SharedSecrets } from './shared-secrets.js';

const HOUR_MS = 3_600_000;

describe('the secrets that instances share', () => {
  let dir: string;
  let log: EventLog;
  const clock = { ms: Date.UTC(2026, 10, 25) };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-secrets-'));
    log = await openEmbeddedLog({ dir });
  });
  afterEach(async () => {
    await log.close();
    await rm(dir, { recursive: true, force: true });
  });

  const instance = (configured: readonly string[] = [], before: string | null = null) =>
    new SharedSecrets({
      ...{ log, configured, before: async () => before, now: () => clock.ms },
      pause: async () => undefined,
    });
  /** Reads what is there to its end, once. */
  const follow = async (secrets: SharedSecrets): Promise<void> => {
    const end = new AbortController();
    const pause = async () => end.abort();
    Object.assign((secrets as unknown as { parts: object }).parts, { pause });
    await secrets.run(end.signal);
  };
  const signerOf = (secrets: SharedSecrets) =>
    new CursorSigner({ signing: () => secrets.signing()!, accepted: () => secrets.accepted() });

  it('are made once, however many start together, and go on from what there was', async () => {
    const instances = Array.from({ length: 6 }, () => instance());
    await Promise.all(instances.map((each) => each.open()));
    const [first] = instances as [SharedSecrets];
    expect((await readSecrets(log)).secrets()).toHaveLength(1);
    for (const each of instances) {
      expect([each.signing(), each.identity()]).toEqual([first.signing(), first.identity()]);
    }
    const late = instance([], 'ab'.repeat(32));
    await late.open();
    expect(late.identity()).toEqual(first.identity());
  });

  it('take over the secret of an older folder', async () => {
    const old = 'ab'.repeat(32);
    const secrets = instance([], old);
    await secrets.open();
    expect(signerOf(secrets).verify('scope', new CursorSigner(Buffer.from(old, 'hex')).sign('scope', [1]))).toEqual([
      1,
    ]);
    expect(Buffer.from(secrets.identity()!).toString('hex')).toBe(old);
  });

  it('a rotation keeps the old one for a day, and no instance gets what it does not know', async () => {
    const [one, other] = [instance(), instance()];
    await one.open();
    await other.open();
    const [signer, reader] = [signerOf(one), signerOf(other)];
    const before = signer.sign('scope', ['before']);
    const identity = one.identity();
    await rotateSecrets(log, clock.ms);
    await follow(one);
    // The other has not heard of it yet, and need not: nothing is signed with it.
    expect(reader.verify('scope', signer.sign('scope', ['between']))).toEqual(['between']);
    clock.ms += SETTLING_MS + 1;
    await follow(other);
    const after = signer.sign('scope', ['after']);
    expect([reader.verify('scope', after), reader.verify('scope', before)]).toEqual([['after'], ['before']]);
    clock.ms += KEPT_MS - 1;
    expect(reader.verify('scope', before)).toEqual(['before']);
    clock.ms += 1;
    expect([reader.verify('scope', before), reader.verify('scope', after)]).toEqual([null, ['after']]);
    expect(one.identity()).toEqual(identity);
    // The next rotation takes it away.
    expect((await rotateSecrets(log, clock.ms)).secrets()).toHaveLength(2);
  });

  it('what was signed is accepted for a day at least, whatever is rotated when', async () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const instances = [instance(), instance(), instance()];
    await Promise.all(instances.map((each) => each.open()));
    const signed: { text: string; at: number }[] = [];
    let accepted = 0;
    let refused = 0;
    for (let step = 0; step < 150; step++) {
      clock.ms += random.int(0, 3 * HOUR_MS);
      if (random.chance(0.1)) {
        await rotateSecrets(log, clock.ms);
        for (const each of instances) if (random.chance(0.5)) await follow(each);
        clock.ms += SETTLING_MS + 1;
        for (const each of instances) await follow(each);
      }
      signed.push({ text: signerOf(random.pick(instances)).sign('s', [step]), at: clock.ms });
      const probe = random.pick(signed);
      const known = signerOf(random.pick(instances)).verify('s', probe.text) !== null;
      if (clock.ms - probe.at <= KEPT_MS) expect([seed, step, known]).toEqual([seed, step, true]);
      if (known) accepted++;
      else refused++;
    }
    expect(accepted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  it('of the configuration come first: the first one signs, all are accepted', async () => {
    const [old, now] = ['an-older-secret-of-this-installation', 'a-newer-secret-of-this-installation'];
    const before = instance([old]);
    const during = instance([now, old]);
    const after = instance([now]);
    for (const each of [before, during, after]) await each.open();
    const text = signerOf(before).sign('s', [1]);
    expect([during, after].map((each) => signerOf(each).verify('s', text))).toEqual([[1], null]);
    expect(signerOf(after).verify('s', signerOf(during).sign('s', [2]))).toEqual([2]);
    // They may be configured at any time: what was signed with the log's is accepted on.
    const plain = instance();
    await plain.open();
    expect(signerOf(after).verify('s', signerOf(plain).sign('s', [3]))).toEqual([3]);
    expect(after.identity()).toEqual(plain.identity());
  });

  it('what cannot be read is said without its value', async () => {
    const writer = await log.openWriter('newer');
    await log.ensureTopics([secretsTopic]);
    await writer.append([{ topic: secretsTopic, key: 'secret:x', value: Buffer.from('{"version":2,"value":"hush"}') }]);
    await writer.close();
    const failure = await instance()
      .open()
      .catch((error: Error) => error.message);
    expect(failure).toContain('version 2');
    expect(failure).not.toContain('hush');
  });
});
