import { decodeAccountRecord } from '#libs/protocol/accounts/account-record.js';
import { encodeUsage, type UsageRecord, usageKeyOf } from '#libs/protocol/accounts/usage-record.js';
import { accountsTopic, usageTopic } from '#libs/protocol/topics.js';
import { Directory } from '#libs/serve/accounts/directory.js';
import { hashKey } from '#libs/serve/accounts/key-text.js';
import { filledFolder, freshFolder, removeFolders, tidepool, whileRunning } from './test/cli-folder.js';

afterAll(removeFolders);

const DAY = new Date().toISOString().slice(0, 10);

describe('accounts and keys', () => {
  it('are made, changed and shown through the instance that runs', async () => {
    const dir = await filledFolder(1);
    let changes = 0;
    const accountsChanged = async () => void changes++;
    await whileRunning(dir, { accountsChanged }, async (log) => {
      const ran = async (...argv: string[]) => {
        const { code, out, err } = await tidepool(dir, ...argv);
        expect([argv, code, code === 0 ? '' : err]).toEqual([argv, 0, '']);
        return out.trimEnd();
      };
      const directory = async () => {
        const read = new Directory();
        for (const value of (await log.readCompacted(accountsTopic)).values()) read.put(decodeAccountRecord(value));
        return read;
      };
      expect(await ran('plans', 'set', 'Small', '--rate', '3', '--credits', '100')).toBe('plan Small is set');
      expect(await ran('plans', 'ls')).toMatch(/Basic +5\/s +no limit\n.*Small +3\/s +100$/s);
      expect(await ran('accounts', 'create', 'acme', '--name', 'Acme', '--plan', 'Small')).toBe(
        'account acme is there',
      );
      const key = await ran('keys', 'create', 'acme', '--name', 'web', '--scopes', 'data,router');
      expect(key).toMatch(/^tp_[\w-]{32}$/);
      const caller = () => directory().then((read) => read.callerOf(hashKey(key), Date.now()));
      expect(await caller()).toMatchObject({
        account: { id: 'acme', rate: 3, credits: 100 },
        key: { scopes: ['data', 'router'] },
      });
      const { id } = (await caller())!.key;
      expect(await ran('keys', 'ls', 'acme')).toContain(`${id}  acme     valid  data,router  any`);

      const usage: UsageRecord = {
        ...{ kind: 'day', account: 'acme', instance: 'x', day: DAY, included: 40, extra: 0 },
        lines: [{ key: id, route: 'getToken', requests: 30, credits: 40, refused: 2 }],
      };
      const writer = await log.openWriter('x');
      await writer.append([{ topic: usageTopic, key: usageKeyOf(usage), value: encodeUsage(usage) }]);
      await writer.close();
      expect(await ran('accounts', 'grant', 'acme', '25', '--reason', 'bought')).toBe(
        '25 credits were added; acme has 85',
      );
      expect(await ran('accounts', 'usage', 'acme')).toMatch(
        new RegExp(`acme +Small +3/s +100 +25 +40 +85 +Acme\n\n.*\n${DAY} +${id} +getToken +30 +40 +2$`, 's'),
      );
      expect(await ran('accounts', 'plan', 'acme', 'Pro', '--rate', '7')).toBe('account acme has the plan Pro');
      expect(await caller()).toMatchObject({ account: { rate: 7, credits: null } });
      await ran('accounts', 'plan', 'acme', '--rate', 'plan');
      expect(await caller()).toMatchObject({ account: { plan: 'Pro', rate: 20 } });

      const rotated = await ran('keys', 'rotate', id, '--grace', '1');
      const read = await directory();
      expect(read.callerOf(hashKey(rotated), Date.now())).toMatchObject({ key: { scopes: ['data', 'router'] } });
      expect(read.callerOf(hashKey(key), Date.now() + 3_500_000)).not.toBeNull();
      expect(read.callerOf(hashKey(key), Date.now() + 3_600_000)).toBeNull();
      // Without a grace it is a day.
      const third = await ran('keys', 'rotate', hashKey(rotated).slice(0, 16));
      const later = await directory();
      expect(later.callerOf(hashKey(rotated), Date.now() + 86_300_000)).not.toBeNull();
      expect(later.callerOf(hashKey(rotated), Date.now() + 86_400_000)).toBeNull();
      expect(await ran('keys', 'revoke', id)).toBe(`key ${id} is revoked`);
      expect(await caller()).toBeNull();
      expect(await ran('accounts', 'close', 'acme')).toBe('account acme is closed');
      expect((await directory()).callerOf(hashKey(third), Date.now())).toBeNull();
      await ran('accounts', 'close', 'acme', '--reopen');
      expect((await directory()).callerOf(hashKey(third), Date.now())).not.toBeNull();
      // Whatever changed is known in the instance before the command ends.
      expect(changes).toBe(11);
      const everything = [...(await log.readCompacted(accountsTopic)).values()].map((value) =>
        Buffer.from(value).toString(),
      );
      expect(everything.join()).not.toContain(key.slice(3));
    });
  });

  it('can be prepared before the first start, and say what is wrong', async () => {
    const dir = freshFolder();
    expect((await tidepool(dir, 'accounts', 'create', 'first')).code).toBe(0);
    const { accounts } = JSON.parse((await tidepool(dir, 'accounts', 'ls', '--json')).out);
    expect(accounts.map(({ entry }: { entry: { id: string } }) => entry.id)).toEqual(['demo', 'first']);
    const wrong: [string[], RegExp][] = [
      [['accounts', 'create', 'First'], /"First" is no account id/],
      [['accounts', 'create', 'x', '--plan', 'Gold'], /no plan "Gold"; there are Basic, Pro, Enterprise/],
      [['accounts', 'create', 'x', '--rate', 'many'], /--rate must be a whole number/],
      [['accounts', 'grant', 'second', '1'], /no account "second"; tidepool accounts ls/],
      [['accounts', 'grant', 'first', '1.5'], /CREDITS must be a whole number/],
      [['keys', 'create'], /ACCOUNT is missing/],
      [['keys', 'create', 'first', '--scopes', 'everything'], /"everything" is no scope/],
      [['keys', 'create', 'first', '--origins', 'https://x.example/page'], /is no origin/],
      [['keys', 'revoke', 'nothing'], /no such key/],
      [['plans', 'set', 'Gold'], /--rate must be a whole number/],
    ];
    for (const [argv, words] of wrong) {
      const ran = await tidepool(dir, ...argv);
      expect([argv, ran.code, ran.out]).toEqual([argv, 2, '']);
      expect(ran.err).toMatch(words);
    }
  });
});
