import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PublicKey } from '@solana/web3.js';
import { isOnCurve } from '#libs/chain/chains/solana/curve-point.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { describeUnlessMissing } from '#libs/devkit/testing/requirements.js';
import { COMPILER, compile, compilerMissing, executablePath, PROGRAMS } from './build.mjs';
import { launchpadErrors, poolErrors, swapErrors } from './errors.js';
import { bufferOf, derive } from './instruction.js';
import { murmur3 } from './link.mjs';

/** The committed executables are what the sources compile to, and the client's tables are what the sources say. */
const HERE = join(process.cwd(), 'programs');
const source = (name: string): string => readFileSync(join(HERE, 'src', name), 'utf8');

describeUnlessMissing(compilerMissing(), 'rebuilt Solana programs', () => {
  test.each(PROGRAMS)(`%s.so is what ${COMPILER} makes of its source`, (program) => {
    expect(compile(program).equals(readFileSync(executablePath(program)))).toBe(true);
  });
});

describe('executables', () => {
  test('system calls are known by the hash of their name', () => {
    expect(murmur3('abort')).toBe(0xb6fc1a11);
    expect(murmur3('sol_log_')).toBe(0x207559bd);
    expect(murmur3('sol_invoke_signed_c')).toBe(0xa22b9c85);
  });
});

describe('tables', () => {
  const camel = (name: string): string =>
    name
      .replace(/^E_/, '')
      .replace(/(?:^|_)([A-Z])([A-Z]*)/g, (_, head: string, tail: string) => head + tail.toLowerCase());
  test.each([
    ['config.h', swapErrors],
    ['amm.c', poolErrors],
    ['launchpad.c', launchpadErrors],
  ] as const)('errors of %s', (file, names) => {
    const [, first, rest] = /enum \{\s*E_INSTRUCTION = (\d+),([^}]*)\}/.exec(source(file))!;
    const inSource = ['E_INSTRUCTION', ...rest!.match(/E_\w+/g)!].map(camel);
    expect([...names.entries()]).toEqual(inSource.map((name, index) => [Number(first) + index, name]));
  });

  test.each(['swap', 'amm', 'launchpad'])(
    'the interface description of %s agrees with the errors and the page',
    (name) => {
      const idl = JSON.parse(readFileSync(join(HERE, 'idl', `${name}.json`), 'utf8'));
      const names = { swap: swapErrors, amm: poolErrors, launchpad: launchpadErrors }[name]!;
      const page = readFileSync(join(process.cwd(), 'docs/programs.md'), 'utf8').replace(/ +/g, ' ');
      expect(idl.errors.map((each: { code: number; name: string }) => [each.code, each.name])).toEqual([...names]);
      for (const { name: instruction } of idl.instructions) expect(page).toContain(`\`${instruction}\``);
      for (const { code, name: error } of idl.errors) expect(page).toContain(`| ${code} | \`${error}\` |`);
    },
  );
});

test('derived addresses are those of the public library', () => {
  const program = PublicKey.unique();
  for (let i = 0; i < 20; i++) {
    const key = PublicKey.unique();
    const [address, bump] = PublicKey.findProgramAddressSync([Buffer.from('x'), key.toBytes()], program);
    const ours = derive(program.toBuffer().toString('hex'), Buffer.from('x'), key.toBytes());
    expect([encodeBase58(bufferOf(ours.id)), ours.bump]).toEqual([address.toBase58(), bump]);
    expect(isOnCurve(key.toBytes())).toBe(PublicKey.isOnCurve(key.toBytes()));
  }
});
