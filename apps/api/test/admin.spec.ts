import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext, Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { parse } from 'yaml';
import { ACCOUNTS_STAGE, EVENT_LOG, LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import { TidepoolError } from '#libs/core/errors.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { invalidExamples } from '#libs/devkit/testing/schema-check.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { projectFolder } from '#libs/platform/program-version.js';
import { encodeUsage, type UsageDay, usageKeyOf } from '#libs/protocol/accounts/usage-record.js';
import { usageTopic } from '#libs/protocol/topics.js';
import { AccountsStage } from '#libs/serve/accounts/accounts-stage.js';
import { type OpenedAccounts, openAccounts } from '#libs/serve/accounts/open-accounts.js';
import { ADMIN_PLACE, AdminApiListener, AdminApiModule } from '../src/admin/admin.module.js';
import { adminDocument, adminRoutes } from '../src/admin/admin-document.js';

const KEY = 'an-admin-key-of-this-spec-alone';

describe('the admin API', () => {
  let dir: string;
  let log: EventLog;
  let opened: OpenedAccounts;
  let app: INestApplicationContext;
  const lines: string[] = [];
  let broken = false;
  let failure: Error = new TidepoolError('log_away', 'the brokers do not answer');

  const start = async (key: string | null) => {
    const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
    const stage = new AccountsStage({
      ...{ log, directory: opened.directory, ledger: opened.ledger, writerId: 'spec', now: Date.now },
      ...{ logger: { warn: note }, read: () => undefined },
    });
    await stage.open();
    const breakable = new Proxy(log, {
      get: (target, name) => {
        if (broken && name === 'openWriter') return () => Promise.reject(failure);
        const value = target[name as keyof EventLog] as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const parts: Provider[] = [
      { provide: ADMIN_PLACE, useValue: key === null ? null : { key, bind: '127.0.0.1', port: 0 } },
      { provide: EVENT_LOG, useValue: breakable },
      { provide: ACCOUNTS_STAGE, useValue: stage },
      { provide: LOGGER, useValue: { info: note, warn: note, error: note } },
      { provide: VERSION, useValue: '1.2.3' },
    ];
    const module = await Test.createTestingModule({ imports: [AdminApiModule.from(parts)] }).compile();
    app = await module.init();
    return app.get(AdminApiListener).url;
  };

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tidepool-admin-'));
    log = await openEmbeddedLog({ dir: join(dir, 'log') });
    opened = await openAccounts({ dataDir: dir, alone: true });
    lines.length = 0;
    broken = false;
  });
  afterEach(async () => {
    await app.close();
    opened.close();
    await log.close();
    await removeFolder(dir);
  });

  /** Asks with the admin key, unless headers are given. */
  const asker =
    (url: string) =>
    async (path: string, body?: object | string, headers: Record<string, string> = { 'x-api-key': KEY }) => {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const init = text === undefined ? { headers } : { method: 'POST', body: text, headers };
      const answer = await fetch(url + path, init);
      const got = await answer.text();
      // biome-ignore lint/suspicious/noExplicitAny: fields are looked at one by one
      return { status: answer.status, body: (got === '' ? null : JSON.parse(got)) as any };
    };

  it('does all that the commands do, and each change holds in this process when it is answered', async () => {
    const ask = asker((await start(KEY))!);
    const data = async (path: string, body?: object | string) => {
      const { status, body: got } = await ask(path, body);
      expect([path, status, got.error?.message]).toEqual([path, 200, undefined]);
      return got.data;
    };
    expect((await data('/plans')).map(({ name }: { name: string }) => name)).toEqual(['Basic', 'Pro', 'Enterprise']);
    expect(await data('/plans', { name: 'Small', rate: 3, credits: 100 })).toEqual({
      name: 'Small',
      rate: 3,
      credits: 100,
    });
    expect(await data('/accounts', { id: 'acme', name: 'Acme', plan: 'Small' })).toMatchObject({
      ...{ id: 'acme', name: 'Acme', plan: 'Small', ownRate: null, rate: 3, closed: false },
      ...{ creditsRemaining: 100, creditsPerMonth: 100, granted: 0 },
    });
    const made = await data('/keys', {
      account: 'acme',
      name: 'web',
      scopes: ['data'],
      origins: ['https://a.example'],
    });
    expect(made).toMatchObject({ account: 'acme', name: 'web', scopes: ['data'], revokedAt: null });
    expect(made.key).toMatch(/^tp_[\w-]{32}$/);
    const caller = (key: string) => opened.admission.authenticate(key);
    expect(caller(made.key)).toMatchObject({ account: { id: 'acme', rate: 3, credits: 100 }, key: { id: made.id } });

    const grant = { credits: 25, reason: 'bought', id: 'inv-1' };
    const first = await data('/accounts/acme/grants', grant);
    expect(first).toMatchObject({ id: 'inv-1', account: 'acme', credits: 25, reason: 'bought' });
    // Sent again it is the same one.
    expect(await data('/accounts/acme/grants', grant)).toEqual(first);
    expect(await data('/accounts/acme/grants')).toEqual([first]);
    expect(caller(made.key)!.account.granted).toBe(25);
    const day = new Date().toISOString().slice(0, 10);
    const usage: UsageDay = {
      ...{ kind: 'day', account: 'acme', instance: 'x', day, included: 40, extra: 5 },
      lines: [{ key: made.id, route: 'getToken', requests: 30, credits: 45, refused: 2 }],
    };
    const writer = await log.openWriter('x');
    await writer.append([{ topic: usageTopic, key: usageKeyOf(usage), value: encodeUsage(usage) }]);
    await writer.close();
    expect(await data('/accounts/acme/usage?days=1')).toEqual([{ day, ...usage.lines[0] }]);
    expect(await data('/accounts/acme')).toMatchObject({ creditsRemaining: 80, includedSpent: 40, grantedSpent: 5 });
    expect(await data('/accounts/acme', { rate: 0 })).toMatchObject({ ownRate: 0, rate: 0, plan: 'Small' });
    expect(await data('/accounts/acme', { plan: null, rate: null })).toMatchObject({ plan: null, rate: 10 });
    expect(caller(made.key)!.account).toMatchObject({ plan: null, rate: 10, credits: null });

    const rotated = await data(`/keys/${made.id}/rotate`, { graceHours: 1 });
    expect(caller(rotated.key)).toMatchObject({ key: { scopes: ['data'], origins: ['https://a.example'] } });
    expect(caller(made.key)).not.toBeNull();
    const [old] = await data('/keys?account=acme');
    expect(old.expiresAt - Date.now()).toBeGreaterThan(0);
    expect(old.expiresAt - Date.now()).toBeLessThanOrEqual(3_600_000);
    const ended: string[] = [];
    opened.admission.openStream(caller(rotated.key)!, 'stream', (why) => ended.push(why));
    expect((await data(`/keys/${rotated.id}/revoke`, '')).revokedAt).not.toBeNull();
    expect([caller(rotated.key), ended]).toEqual([null, ['key']]);
    expect(await data('/accounts/acme', { closed: true })).toMatchObject({ closed: true });
    expect(caller(made.key)).toBeNull();
    expect((await data('/accounts')).map(({ id }: { id: string }) => id)).toEqual(['acme', 'demo']);
    // Many at once are made one after the other, none is lost.
    const names = Array.from({ length: 12 }, (_, n) => `a${n}`);
    await Promise.all(names.map((id) => data('/accounts', { id })));
    expect(await data('/accounts')).toHaveLength(14);
    for (const secret of [made.key, rotated.key, KEY]) expect(lines.join()).not.toContain(secret);
  });

  it('is not there unless its key is configured', async () => {
    expect(await start(null)).toBeNull();
  });

  it('asks every route but two for its key, in a header alone; a wrong one is never in an answer or a line', async () => {
    const url = (await start(KEY))!;
    const ask = asker(url);
    let asked = 0;
    for (const { declaration } of adminRoutes) {
      const { method, path } = declaration;
      const at = path.replace(':id', 'acme');
      const body = method === 'POST' ? '{}' : undefined;
      for (const headers of [{}, { 'x-api-key': `${KEY}x` }, { 'x-api-key': opened.admission.demo.key }]) {
        const { status, body: got } = await ask(`${at}?apiKey=${KEY}`, body, headers as Record<string, string>);
        expect([path, status, got.error.code]).toEqual([path, 401, 'unauthorized']);
        expect(JSON.stringify(got)).not.toContain(KEY);
        asked++;
      }
      expect((await ask(at, body, { authorization: `Bearer ${KEY}` })).status).not.toBe(401);
    }
    expect(asked).toBe(39);
    for (const open of ['/health', '/openapi.yaml']) expect((await fetch(url + open)).status).toBe(200);
    expect((await ask('/nothing', undefined, {})).status).toBe(404);
    const wrongMethod = await fetch(`${url}/plans`, { method: 'DELETE' });
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect(lines.join()).not.toContain(KEY);
  });

  it('says what is wrong, and that the log is away', async () => {
    const ask = asker((await start(KEY))!);
    await ask('/accounts', { id: 'acme' });
    const { body: key } = await ask('/keys', { account: 'acme' });
    await ask(`/keys/${key.data.id}/revoke`, '');
    const refused: [string, object | string | undefined, number, string][] = [
      ['/accounts', '', 400, 'the body must be a JSON object; it is empty'],
      ['/accounts', '[]', 400, 'the body must be a JSON object'],
      ['/accounts', {}, 400, 'id is required'],
      ['/accounts', { id: 7 }, 400, 'id must be a text'],
      ['/accounts', { id: 'A b' }, 400, 'is no account id'],
      ['/accounts', { id: 'acme' }, 409, 'there is an account acme already'],
      ['/accounts', { id: 'b', plan: 'Gold' }, 400, 'there are Basic, Pro, Enterprise'],
      ['/accounts', { id: 'b', rate: 1.5 }, 400, 'rate must be a whole number from 0 to 1000000'],
      ['/accounts', { id: 'b', credit: 1 }, 400, 'credit is no field of this body; there are id, name, plan, rate'],
      ['/accounts', { id: 'b', name: 'x'.repeat(201) }, 400, 'the name has at most 200 characters'],
      ['/accounts/b', undefined, 404, 'there is no account "b"'],
      ['/accounts/b', { rate: 1 }, 404, 'there is no account "b"'],
      ['/accounts/acme', { closed: 'yes' }, 400, 'closed must be true or false'],
      ['/accounts/acme/grants', { credits: 0 }, 400, 'credits must be a whole number from 1'],
      ['/accounts/acme/grants', { credits: 5, id: 'a b' }, 400, 'is no id of a grant'],
      ['/accounts/b/grants', undefined, 404, 'there is no account "b"'],
      ['/accounts/acme/usage?days=63', undefined, 400, 'days must be a whole number from 1 to 62'],
      ['/plans', { name: 'Small' }, 400, 'rate is required'],
      ['/plans', { name: '1', rate: 1 }, 400, 'is no name of a plan'],
      ['/keys?account=b', undefined, 404, 'there is no account "b"'],
      ['/keys', { account: 'acme', scopes: ['all'] }, 400, 'there are data, router, launch, gateway'],
      ['/keys', { account: 'acme', scopes: 'data' }, 400, 'scopes must be a list of at most 10 texts'],
      ['/keys', { account: 'acme', origins: ['app.example'] }, 400, 'is no origin'],
      ['/keys/nothing/rotate', '', 404, 'there is no such key'],
      [`/keys/${key.data.id}/revoke`, '', 409, 'was revoked'],
    ];
    for (const [path, body, status, message] of refused) {
      const got = await ask(path, body);
      expect([path, body, got.status, got.body.error?.message]).toEqual([
        path,
        body,
        status,
        expect.stringContaining(message),
      ]);
    }
    await ask('/accounts/acme/grants', { credits: 5, id: 'once' });
    const other = await ask('/accounts/acme/grants', { credits: 6, id: 'once' });
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
    broken = true;
    const away = await ask('/accounts', { id: 'c' });
    expect([away.status, away.body.error.code]).toEqual([503, 'upstream_unavailable']);
    expect(lines.at(-1)).toContain('the log does not answer');
    failure = new Error('a bug with a path in its message');
    const bug = await ask('/accounts', { id: 'c' });
    expect([bug.status, bug.body.error.message]).toEqual([500, expect.stringContaining('request id')]);
    expect(lines.at(-1)).toContain('request failed');
    broken = false;
    expect((await ask('/accounts', { id: 'c' })).status).toBe(200);
  });

  it('has the committed document', async () => {
    await start(null);
    const committed = await readFile(join(projectFolder(), 'docs/openapi/accounts.yaml'), 'utf8');
    expect(adminDocument()).toBe(committed);
    expect(invalidExamples(parse(committed))).toEqual({ compared: expect.any(Number), problems: [] });
  });
});
