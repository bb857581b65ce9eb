import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProgramChain } from '#libs/devkit/testing/solana/program-chain.js';
import { executable } from '#programs/executable.js';
import { programCommands } from './run-program.js';
import { CountingProxy } from './test/counting-proxy.js';

/** What people and nodes give the commands: help, arguments, key files, URLs with keys, busy nodes. */
const SOL = 1_000_000_000n;
let world: ProgramChain;

beforeAll(async () => {
  world = await ProgramChain.start();
});
afterAll(() => world.stop());

describe('nodes', () => {
  test('a busy node is asked again; a key in its URL is sent and never shown', async () => {
    const owner = await world.wallet('busy', SOL);
    const proxy = await CountingProxy.before(world.chain.rpcUrl);
    const secret = 'abcdefghijklmnop0123456789';
    const url = `http://user:${secret}@127.0.0.1:${proxy.port}/${secret}?api-key=${secret}`;
    proxy.answer = (_, count) => (count % 3 === 1 ? 429 : count % 3 === 2 ? { code: 429, message: 'slower' } : null);
    const ran = await world.run('deploy', '--keypair', owner.path, '--url', url, '--dry-run');
    expect(ran.code).toBe(0);
    expect(proxy.headers.authorization).toBe(`Basic ${Buffer.from(`user:${secret}`).toString('base64')}`);
    proxy.answer = (method) => (method === 'getAccountInfo' ? { code: -32000, message: `bad ${secret}` } : null);
    const refused = await world.run('show', '--program', owner.address, '--url', url);
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/getAccountInfo: bad \[redacted\]/)]);
    proxy.answer = () => 403;
    const denied = await world.run('show', '--program', owner.address, '--url', url);
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('HTTP 403; check the key in --url')]);
    await proxy.close();
    const gone = await world.run('show', '--program', owner.address, '--url', url);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('ECONNREFUSED; check --url')]);
    for (const { out, err } of [ran, refused, denied, gone]) expect(out + err).not.toContain(secret);
  });

  test('a public cluster behind a local address is asked about before anything is sent', async () => {
    const owner = await world.wallet('careful', SOL);
    const proxy = await CountingProxy.before(world.chain.rpcUrl);
    const forward = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const answer = await forward(input, init);
      if (input === world.chain.rpcUrl || !String(init?.body).includes('getGenesisHash')) return answer;
      return Response.json({ jsonrpc: '2.0', id: 1, result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' });
    };
    try {
      const asked = await world.run('deploy', '--keypair', owner.path, '--url', `${proxy.url}/`);
      expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/on mainnet-beta .*\n.*--yes is needed/)]);
      expect(proxy.counts.get('sendTransaction')).toBeUndefined();
      const yes = await world.run('deploy', '--keypair', owner.path, '--url', `${proxy.url}/`, '--yes');
      expect(yes.code).toBe(0);
    } finally {
      globalThis.fetch = forward;
      await proxy.close();
    }
  });
});

describe('words', () => {
  test('each command has a help with an example', async () => {
    const listed = await world.run('--help');
    expect(listed.code).toBe(0);
    for (const { name, summary, examples } of programCommands) {
      expect(listed.out).toContain(`${name} `);
      expect(listed.out).toContain(summary);
      const help = await world.run(...name.split(' ').slice(1), '--help');
      expect([help.code, help.out.split('\n')[0]]).toEqual([0, expect.stringContaining(`usage: tidepool ${name}`)]);
      for (const example of examples) expect(help.out).toContain(`npx --no tidepool ${example}\n`);
    }
    expect((await world.run('venue', '--help')).out).not.toContain('program deploy');
  });

  test('keys that cannot be used', async () => {
    const good = await world.wallet('loose');
    const list = [...good.keypair.secretKey];
    const file = (name: string, content: unknown): string => {
      const path = join(world.folder, name);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
      return path;
    };
    mkdirSync(join(world.folder, 'folder'));
    const cases: [string, string][] = [
      [join(world.folder, 'nothing.json'), 'there is no such file; solana-keygen new'],
      [join(world.folder, 'folder'), 'it is a folder'],
      [file('text.json', `secret ${list.join(' ')}`), 'it is not JSON'],
      [file('object.json', { key: list }), 'it is not a list'],
      [file('short.json', list.slice(0, 32)), 'it has 32 numbers'],
      [file('large.json', list.with(3, 256)), 'entry 3 is not a whole number'],
      [file('mixed.json', list.with(40, list[40]! ^ 1)), 'its public half does not belong'],
    ];
    for (const [path, words] of cases) {
      const ran = await world.run('pause', '--program', good.address, '--keypair', path);
      expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringContaining(`--keypair ${path}: ${words}`)]);
      expect(ran.err).not.toContain(list.slice(0, 3).join(','));
      expect(ran.err).not.toContain(list.slice(0, 3).join(' '));
    }
    chmodSync(good.path, 0o644);
    const loose = await world.run('pause', '--program', good.address, '--keypair', good.path);
    expect(loose.err).toContain(`chmod 600 ${good.path}`);
    expect(loose.err).toContain('no upgradeable program is at');
  });

  test('arguments that cannot be used', async () => {
    const { path, address } = await world.wallet('plain');
    const cases: [string[], string][] = [
      [['pauze'], 'no command "program pauze"'],
      [['venue', 'drop', address], 'no command "program venue drop"'],
      [['pause', '--program', address], '--keypair is missing'],
      [['pause', '--program', address, '--dry-run'], '--signer ADDRESS is enough'],
      [['pause', '--program', address, '--signer', address], '--signer belongs to --dry-run'],
      [['pause', '--keypair', path], '--program must be given'],
      [['show', '--program', '0x12'], '--program must be a Solana address'],
      [['show', '--program', address, '--url', 'ftp://x'], '--url must be an http or https URL'],
      [
        ['pause', '--program', address, '--keypair', path, '--priority-fee', '1.5'],
        '--priority-fee must be a whole number',
      ],
      [['venue', 'add', '--program', address, '--keypair', path], 'VENUE is missing'],
      [['verify', '--program', address, '--file', path], 'it is no executable'],
      [['deploy', '--keypair', path, '--max-length', '100'], `at least the code's ${executable('swap').length} bytes`],
    ];
    for (const [argv, words] of cases) {
      const ran = await world.run(...argv);
      expect([argv, ran.code, ran.out, ran.err]).toEqual([argv, 2, '', expect.stringContaining(words)]);
    }
    expect((await world.run()).code).toBe(2);
  });
});
