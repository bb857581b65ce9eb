import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from '@swc/core';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';
import { PROJECT } from '../multi-process/program.js';

/**
 * Versions of the program as folders of their own: the built one, and copies of it with a few lines changed, each on top of the
 * version before. What a version writes shows in its rows: other decoders change the sender, a changed projection the
 * amounts, an added one fills a table, a changed table fills a column.
 */
export interface ProgramVersion {
  readonly name: string;
  readonly folder: string;
  /** What it serves in the end. */
  readonly epoch: number;
  readonly foldVersion: number;
  /** What its rows look like. */
  readonly marks: Marks;
}

export interface Marks {
  otherSenders: boolean;
  /** Added to each base amount. */
  more: 0 | 1;
}

interface Change {
  file: string;
  find: string;
  replace: string;
}

const BUILT = ['apps', 'libs', 'programs', 'console'];
const root = (): string => mkdtempSync(join(tmpdir(), 'tidepool-versions-'));

/** The first digit of senders that the second decoders record. */
export const OTHER_DIGIT = 'f';
const TOYS = 'test/recipes/fixtures/projection/libs/pipeline';

export class ProgramVersions {
  private readonly dir = root();
  readonly all: ProgramVersion[] = [];
  /** @param migration Number of the last one. */
  private constructor(private readonly migration: number) {}

  /** In the order of their upgrades. */
  static async make(): Promise<ProgramVersions> {
    const names = readdirSync(join(PROJECT, 'dist/libs/pipeline/store/migrations')).filter((name) =>
      name.endsWith('.sql'),
    );
    const versions = new ProgramVersions(Math.max(...names.map((name) => Number.parseInt(name, 10))));
    await versions.build();
    return versions;
  }

  named(name: string): ProgramVersion {
    const found = this.all.find((version) => version.name === name);
    if (found === undefined) throw new Error(`no version ${name}`);
    return found;
  }

  remove(): void {
    removeFolderSync(this.dir);
  }

  private async build(): Promise<void> {
    const fold = Number(/foldVersion = (\d+)/.exec(this.read(PROJECT, 'libs/pipeline/fold/fold-version.js'))![1]);
    const first = { otherSenders: false, more: 0 } as const;
    this.all.push({ name: 'first', folder: PROJECT, epoch: 1, foldVersion: fold, marks: first });
    const decoder = { otherSenders: true, more: 0 } as const;
    const decoders = 'EVM_DECODER_VERSION =';
    this.add('decoder changed', 2, fold, decoder, [
      { file: 'libs/chain/catalogue/own-reference.js', find: decoders, replace: `${decoders} 1 +` },
      {
        file: 'apps/ingest/src/source/evm/block-builder.js',
        find: 'sender: withoutPrefix(sender)',
        replace: `sender: '${OTHER_DIGIT}' + withoutPrefix(sender).slice(1)`,
      },
    ]);
    const toys = this.add('projection added', 2, fold + 1, decoder, [
      foldTo(fold, fold + 1),
      { file: 'libs/pipeline/projections/registry.js', find: 'transfers,', replace: 'transfers, toys,' },
      {
        file: 'libs/pipeline/projections/registry.js',
        find: 'import { ',
        replace: "import { toys } from './toys/projection.js';\nimport { ",
      },
      {
        file: 'apps/ingest/src/project/project-stage.js',
        find: 'return encodeFactsGroup(facts);',
        replace: 'return encodeFactsGroup(added(facts));',
      },
    ]);
    await this.addToys(toys);
    this.append(toys, 'apps/ingest/src/project/project-stage.js', ADD_TOYS);
    const projection = { otherSenders: true, more: 1 } as const;
    this.add('projection changed', 2, fold + 2, projection, [
      foldTo(fold + 1, fold + 2),
      {
        file: 'apps/ingest/src/project/project-stage.js',
        find: 'trades: facts.trades,',
        replace: 'trades: facts.trades.map((trade) => ({ ...trade, baseAmount: trade.baseAmount + 1n })),',
      },
    ]);
    const table = this.add('table changed', 2, fold + 3, projection, [
      foldTo(fold + 2, fold + 3),
      {
        file: 'libs/pipeline/projections/blocks/projection.js',
        find: "name: 'parent',",
        replace: "name: 'hash_again', type: 'id', from: 'hash' }, { name: 'parent',",
      },
    ]);
    const number = String(this.migration + 2).padStart(4, '0');
    const sql = 'ALTER TABLE {db}.blocks ADD COLUMN IF NOT EXISTS hash_again String AFTER hash;\n';
    writeFileSync(join(table.folder, `dist/libs/pipeline/store/migrations/${number}_hash_again.sql`), sql);
    for (const { folder } of this.all.slice(1)) this.bundle(folder);
  }

  /** A copy of the newest version with these changes. */
  private add(name: string, epoch: number, foldVersion: number, marks: Marks, changes: Change[]): ProgramVersion {
    const folder = join(this.dir, name.replace(' ', '-'));
    const before = this.all.at(-1)!;
    mkdirSync(folder, { recursive: true });
    for (const part of BUILT)
      cpSync(join(before.folder, 'dist', part), join(folder, 'dist', part), { recursive: true });
    cpSync(join(PROJECT, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    for (const { file, find, replace } of changes) {
      const text = this.read(folder, file);
      if (!text.includes(find)) throw new Error(`${file} has no ${JSON.stringify(find)}`);
      this.write(
        folder,
        file,
        text.replace(find, () => replace),
      );
    }
    const version = { name, folder, epoch, foldVersion, marks };
    this.all.push(version);
    return version;
  }

  /** The toy projection of the recipe, with its table. */
  private async addToys({ folder }: ProgramVersion): Promise<void> {
    const options = JSON.parse(readFileSync(join(PROJECT, '.swcrc'), 'utf8'));
    const source = readFileSync(join(PROJECT, TOYS, 'projections/toys/projection.ts'), 'utf8');
    const { code } = await transform(source, { ...options, swcrc: false, filename: 'projection.ts' });
    this.write(folder, 'libs/pipeline/projections/toys/projection.js', code);
    const number = String(this.migration + 1).padStart(4, '0');
    const sql = readFileSync(join(PROJECT, TOYS, 'store/migrations/NNNN_toys.sql'), 'utf8');
    writeFileSync(join(folder, `dist/libs/pipeline/store/migrations/${number}_toys.sql`), sql);
  }

  /** What is started is the bundle of what was changed. */
  private bundle(folder: string): void {
    const script = join(PROJECT, 'scripts/lib/build-programs.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the programs of ${folder} cannot be bundled: ${stdout}${stderr}`);
  }

  private append({ folder }: ProgramVersion, file: string, text: string): void {
    this.write(folder, file, `${this.read(folder, file)}\n${text}`);
  }

  private read(folder: string, file: string): string {
    return readFileSync(join(folder, 'dist', file), 'utf8');
  }

  private write(folder: string, file: string, text: string): void {
    mkdirSync(dirname(join(folder, 'dist', file)), { recursive: true });
    writeFileSync(join(folder, 'dist', file), text);
  }
}

const foldTo = (from: number, to: number): Change => ({
  ...{ file: 'libs/pipeline/fold/fold-version.js', find: `foldVersion = ${from}`, replace: `foldVersion = ${to}` },
});

const ADD_TOYS = `
function added(facts) {
    if (facts.kind !== 'block') return facts;
    const toys = facts.trades.map(({ wallet, baseAmount }) => ({ wallet, amount: baseAmount }));
    return { ...facts, trades: facts.trades, toys };
}
`;
