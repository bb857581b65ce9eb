import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Keypair, Message, Transaction } from '@solana/web3.js';
import { ProgramChain, printedValue, type Wallet } from '#libs/devkit/testing/solana/program-chain.js';
import { SwapMarket } from '#libs/devkit/testing/solana/swap-market.js';
import { executable } from '#programs/executable.js';
import { idOf } from '#programs/instruction.js';
import { WRITE_BYTES } from '#programs/loader-client.js';
import { CountingProxy } from './test/counting-proxy.js';

const SOL = 1_000_000_000n;
/** In which the program's code is written. */
const PIECES = Math.ceil(executable('swap').length / WRITE_BYTES);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The commands on a local chain, with the real programs. */
describe('the commands of the fee program (long)', () => {
  let world: ProgramChain;

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
    world = await ProgramChain.start();
  });
  afterAll(() => world.stop());

  const deployed = async (by: Wallet, ...more: string[]): Promise<string> => {
    const ran = await world.run('deploy', '--keypair', by.path, ...more);
    expect(ran.code).toBe(0);
    return printedValue(ran, 'program');
  };

  test('as a process of its own: deploy with no more than it costs, show, pause', async () => {
    const deployer = await world.wallet('deployer');
    const poor = await world.spawn(['deploy', '--keypair', deployer.path]);
    expect(poor).toMatchObject({ code: 1, out: '' });
    const [, need, missing] = /has 0 SOL and deploying needs ([\d.]+) SOL: send it at least ([\d.]+) SOL/.exec(
      poor.err,
    )!;
    expect(need).toBe(missing);
    const lamports = BigInt(Math.round(Number(need) * 1e9));
    world.chain.airdrop(deployer.address, lamports);
    world.slots(2);

    const ran = await world.spawn(['deploy', '--keypair', deployer.path]);
    expect([ran.code, ran.err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`costs 0\\.2\\d* SOL\n.*${PIECES} of ${PIECES} pieces`, 's')),
    ]);
    const program = printedValue(ran, 'program');
    const left = world.chain.account(deployer.address)!.lamports;
    expect(ran.out).toContain(
      `cost               0.${(lamports - left).toString().padStart(9, '0').replace(/0+$/, '')} SOL`,
    );
    expect(world.chain.account(program)?.executable).toBe(true);
    const again = await world.spawn(['deploy', '--keypair', deployer.path, '--json']);
    expect(JSON.parse(again.out)).toEqual({ program, upgradeAuthority: deployer.address, costLamports: null });

    const at = ['--program', program, '--keypair', deployer.path];
    expect(await world.spawn(['show', '--program', program])).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no config: tidepool program init makes it'),
    });
    world.chain.airdrop(deployer.address, SOL);
    world.slots(2);
    expect(await world.run('init', ...at, '--max-fee-bps', '100')).toMatchObject({ code: 0 });
    expect(await world.spawn(['pause', ...at])).toMatchObject({ code: 0, out: expect.stringContaining('paused') });
    const shown = await world.spawn(['show', '--program', program, '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({
      program,
      admin: deployer.address,
      proposedAdmin: null,
      paused: true,
      feeOwner: null,
      maxFeeBps: 100,
      venues: [],
    });
  });

  test('a deployment that was killed is continued; a second one takes an address of its own', async () => {
    const deployer = await world.wallet('killed', 2n * SOL);
    const proxy = await CountingProxy.before(world.chain.rpcUrl);
    let pid = 0;
    // The first transaction makes the buffer; ten of the pieces pass.
    proxy.answer = (method, count) => {
      if (method === 'sendTransaction' && count === 12) process.kill(pid, 'SIGKILL');
      return method === 'sendTransaction' && count >= 12 ? 503 : null;
    };
    const killed = await world.spawn(['deploy', '--keypair', deployer.path, '--url', proxy.url], (started) => {
      pid = started;
    });
    expect([killed.code, killed.out]).toEqual([-1, '']);
    world.slots(2);

    proxy.counts.clear();
    proxy.answer = () => null;
    const ran = await world.run('deploy', '--keypair', deployer.path, '--url', proxy.url);
    expect([ran.code, ran.err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`going on with the buffer.*\\(10 of ${PIECES} pieces`, 's')),
    ]);
    expect(proxy.counts.get('sendTransaction')).toBe(PIECES - 10 + 1);
    await proxy.close();
    const program = printedValue(ran, 'program');
    expect(await world.run('verify', '--program', program)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^ok +code/m),
    });

    const own = await world.wallet('own');
    const most = executable('swap').length + 5_544;
    expect(await deployed(deployer, '--program-keypair', own.path, '--max-length', String(most))).toBe(own.address);
    expect((await world.run('verify', '--program', own.address)).out).toContain('room for 5544 more');
    const third = await world.run('deploy', '--keypair', deployer.path, '--file', bin('amm'));
    expect(third).toMatchObject({ code: 1, err: expect.stringContaining(`upgrade --program ${program}`) });
  });

  const bin = (name: string): string => join(ROOT, `programs/bin/${name}.so`);

  test('every admin command, and what is refused', async () => {
    const [admin, next] = [await world.wallet('admin', SOL), await world.wallet('next', SOL)];
    const program = await deployed(admin);
    const at = ['--program', program];
    const by = (wallet: Wallet, ...argv: string[]) => world.run(...argv, ...at, '--keypair', wallet.path);
    const ok = async (wallet: Wallet, ...argv: string[]): Promise<string> => {
      const ran = await by(wallet, ...argv);
      expect([ran.code, ran.err]).toEqual([0, expect.not.stringContaining('tidepool:')]);
      return ran.out;
    };
    const refused = async (wallet: Wallet, argv: string[], words: string, code = 1): Promise<void> => {
      const ran = await by(wallet, ...argv);
      expect([argv, ran.code, ran.out, ran.err]).toEqual([argv, code, '', expect.stringContaining(words)]);
    };
    const state = async () => JSON.parse((await world.run('show', ...at, '--json')).out);

    await refused(
      next,
      ['init', '--max-fee-bps', '10'],
      `is not the upgrade authority of ${program}: ${admin.address} is`,
    );
    await refused(admin, ['init'], '--max-fee-bps is missing', 2);
    await ok(admin, 'init', '--max-fee-bps', '250', '--fee-owner', next.address);
    await refused(admin, ['init', '--max-fee-bps', '10'], `has a config already; its admin is ${admin.address}`);
    expect(await state()).toMatchObject({
      admin: admin.address,
      feeOwner: next.address,
      maxFeeBps: 250,
      paused: false,
    });
    const [amm, curve] = [await world.wallet('amm'), await world.wallet('curve')];
    world.chain.deploy(amm.address, executable('amm'));
    world.slots(2);

    const outsider = [
      ['pause'],
      ['unpause'],
      ['fee', '--max-fee-bps', '1'],
      ['venue', 'add', amm.address, '--kind', 'pool'],
      ['venue', 'set', amm.address, '--live', 'off'],
      ['venue', 'remove', amm.address],
      ['admin', 'propose', next.address],
      ['admin', 'withdraw'],
    ];
    for (const argv of outsider) await refused(next, argv, `is not the admin of ${program}: ${admin.address} is`);

    await ok(admin, 'venue', 'add', amm.address, '--kind', 'pool');
    const missing = await by(admin, 'venue', 'add', curve.address, '--kind', 'curve', '--live', 'off');
    expect([missing.code, missing.err]).toEqual([0, expect.stringContaining(`no program is at ${curve.address}`)]);
    await refused(
      admin,
      ['venue', 'add', amm.address, '--kind', 'curve'],
      'has a row already (pool, live); tidepool program venue set',
    );
    await refused(admin, ['venue', 'add', program, '--kind', 'pool'], 'the swap program itself', 2);
    await refused(admin, ['venue', 'add', amm.address], '--kind is missing', 2);
    await refused(admin, ['venue', 'set', amm.address, '--live', 'yes'], '--live must be on or off', 2);
    await refused(admin, ['venue', 'set', amm.address, '--live', 'on'], 'is that already: pool, live');
    await refused(admin, ['venue', 'set', next.address, '--live', 'on'], 'has no row');
    await refused(admin, ['venue', 'remove', next.address], 'has no row');
    await ok(admin, 'venue', 'set', curve.address, '--kind', 'pool');
    await ok(admin, 'venue', 'set', curve.address, '--live', 'on');
    const listed = await world.run('venue', 'list', ...at, '--json');
    const venues = [amm, curve].map(({ address }) => ({ program: address, kind: 'pool', live: true }));
    expect(JSON.parse(listed.out)).toEqual({ venues });
    expect((await world.run('show', ...at)).out).toMatch(new RegExp(`${curve.address} +pool +on`));
    await ok(admin, 'venue', 'remove', amm.address);
    expect((await state()).venues).toEqual([venues[1]]);

    await refused(admin, ['fee'], 'name --fee-owner or --max-fee-bps', 2);
    await refused(admin, ['fee', '--max-fee-bps', '1001'], '--max-fee-bps must be a whole number from 0 to 1000', 2);
    await ok(admin, 'fee', '--max-fee-bps', '40');
    expect(await state()).toMatchObject({ feeOwner: next.address, maxFeeBps: 40 });
    await ok(admin, 'fee', '--fee-owner', 'any');
    expect(await state()).toMatchObject({ feeOwner: null, maxFeeBps: 40 });

    await refused(admin, ['unpause'], 'is not paused');
    await ok(admin, 'pause');
    await refused(admin, ['pause'], 'is paused already; tidepool program unpause');
    expect((await world.run('show', ...at)).out).toMatch(/^state +paused/m);
    await ok(admin, 'unpause');

    await refused(next, ['admin', 'accept'], 'no admin is proposed');
    await refused(admin, ['admin', 'withdraw'], 'no admin is proposed');
    await refused(admin, ['admin', 'propose', admin.address], 'is the admin already');
    await ok(admin, 'admin', 'propose', next.address);
    await refused(admin, ['admin', 'accept'], `is not the proposed admin: ${next.address} is`);
    await ok(admin, 'admin', 'withdraw');
    expect(await state()).toMatchObject({ proposedAdmin: null });
    await ok(admin, 'admin', 'propose', next.address);
    expect(await state()).toMatchObject({ admin: admin.address, proposedAdmin: next.address });
    await ok(next, 'admin', 'accept');
    await refused(admin, ['pause'], `${next.address} is; sign with its key`);
    await ok(next, 'pause', '--priority-fee', '1000000');
    expect(await state()).toMatchObject({ admin: next.address, proposedAdmin: null, paused: true });
    expect(await world.run('verify', ...at, '--authority', admin.address)).toMatchObject({ code: 0 });
    expect(await world.run('verify', ...at, '--authority', next.address)).toMatchObject({
      code: 1,
      out: expect.stringMatching(new RegExp(`^WRONG +upgrade authority +${admin.address}, not ${next.address}`, 'm')),
    });
  });

  test('a swap runs while the deployment is live, and is refused while it is paused', async () => {
    const owner = await world.wallet('swapper', 5n * SOL);
    const program = await deployed(owner);
    const at = ['--program', program, '--keypair', owner.path];
    const market = await SwapMarket.make(world, owner);
    await world.run('init', ...at, '--max-fee-bps', '0');
    await expect(market.swap(idOf(program), 1_000_000n)).rejects.toThrow('swap.NoRow (6005)');
    await world.run('venue', 'add', market.amm, '--kind', 'pool', ...at);
    expect(await market.swap(idOf(program), 1_000_000n)).toBe(995_015n);
    await world.run('pause', ...at);
    await expect(market.swap(idOf(program), 1_000_000n)).rejects.toThrow('swap.Paused (6004)');
    await world.run('unpause', ...at);
    await world.run('venue', 'set', market.amm, '--live', 'off', ...at);
    await expect(market.swap(idOf(program), 1_000_000n)).rejects.toThrow('swap.RowDead (6006)');
    await world.run('venue', 'set', market.amm, '--live', 'on', ...at);
    expect(await market.swap(idOf(program), 1_000_000n)).toBeGreaterThan(990_000n);
  });

  test('an upgrade keeps the config, makes room where it lacks, and only the upgrade authority may', async () => {
    const [owner, other] = [await world.wallet('upgrader', 5n * SOL), await world.wallet('other', SOL)];
    const program = await deployed(owner, '--file', bin('launchpad'));
    const at = ['--program', program];
    const [before, after] = [executable('launchpad').length, executable('swap').length];
    const few = new RegExp(`^WRONG +code +${before} bytes are too few for the ${after}`, 'm');
    expect((await world.run('verify', ...at)).out).toMatch(few);
    expect(await world.run('upgrade', ...at, '--keypair', other.path)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`is not the upgrade authority of ${program}: it is ${owner.address}`),
    });
    const ran = await world.run('upgrade', ...at, '--keypair', owner.path, '--json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, { program, bytes: after }]);
    // Those of before and the least extension there is, or as many as it needs.
    const room = Math.max(0, before + 10240 - after);
    expect((await world.run('verify', ...at)).out).toMatch(
      new RegExp(`^ok +code +${after} bytes as expected${room > 0 ? `, room for ${room} more` : ''}$`, 'm'),
    );
    expect(await world.run('init', ...at, '--keypair', owner.path, '--max-fee-bps', '7')).toMatchObject({ code: 0 });
    expect(await world.run('verify', ...at)).toMatchObject({ code: 0 });
    const same = await world.run('upgrade', ...at, '--keypair', owner.path);
    expect(same).toMatchObject({ code: 1, err: expect.stringContaining('has this code already') });
    expect(await world.run('upgrade', ...at, '--keypair', owner.path, '--file', bin('amm'))).toMatchObject({ code: 0 });
    expect((await world.run('verify', ...at)).out).toMatch(/^WRONG +code +differs/m);
    expect(await world.run('upgrade', ...at, '--keypair', owner.path)).toMatchObject({ code: 0 });
    expect(JSON.parse((await world.run('show', ...at, '--json')).out)).toMatchObject({ maxFeeBps: 7 });
  });

  test('a dry run prints what a multisig can sign, and sends nothing', async () => {
    const owner = await world.wallet('multisig', 2n * SOL);
    const program = await deployed(owner);
    const before = world.chain.account(owner.address)!.lamports;
    const shown = await world.run(
      'init',
      '--program',
      program,
      '--signer',
      owner.address,
      '--dry-run',
      '--max-fee-bps',
      '9',
    );
    expect([shown.code, shown.out.split('\n').length]).toEqual([0, 2]);
    const step = JSON.parse(shown.out);
    expect(step).toMatchObject({ step: 'init', signers: [owner.address], feeLamports: '5000' });
    const transaction = Transaction.from(Buffer.from(step.transaction, 'base64'));
    expect(Message.from(Buffer.from(step.message, 'base64')).serialize()).toEqual(transaction.serializeMessage());
    expect(transaction.signatures.map(({ signature }) => signature)).toEqual([null]);
    expect(transaction.instructions[0]!.data.toString('base64')).toBe(step.instructions[0].data);
    expect(world.chain.account(owner.address)!.lamports).toBe(before);
    transaction.sign(owner.keypair);
    world.chain.send(transaction.serialize());
    world.slots(2);
    expect(JSON.parse((await world.run('show', '--program', program, '--json')).out)).toMatchObject({ maxFeeBps: 9 });

    const stranger = Keypair.generate().publicKey.toBase58();
    const steps = await world.run('deploy', '--signer', stranger, '--dry-run', '--priority-fee', '5000');
    const labels = steps.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).step);
    expect(labels).toEqual(['make the buffer', ...labels.slice(1, -1), 'deploy']);
    expect(labels.length).toBe(PIECES + 2);
  });
});
