import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqlIdentifier } from './query-parameters.js';
import type { AnalyticsStore } from './store.js';
import { StoreError } from './store-error.js';

/** Database of what is not of one chain and generation: the pointers. */
export const META_DATABASE = 'md_meta';

export interface Migration {
  number: number;
  name: string;
  checksum: string;
  statements: string[];
}

/**
 * Brings a database to the newest schema of this program. Migrations have ascending numbers, are only ever added, and
 * are recorded with a checksum. Every statement can be repeated, so one that was cut short by a crash runs again.
 */
export async function migrate(
  store: AnalyticsStore,
  database: string,
  options: { folder?: string } = {},
): Promise<{ applied: string[] }> {
  sqlIdentifier(database);
  const migrations = await loadMigrations(options.folder ?? migrationFolder(database));
  await store.command(`CREATE DATABASE IF NOT EXISTS ${database}`);
  await store.command(
    `CREATE TABLE IF NOT EXISTS ${database}.migrations (number UInt32, name String, checksum String) ` +
      'ENGINE = MergeTree ORDER BY number SETTINGS non_replicated_deduplication_window = 1000',
  );
  const known = await appliedMigrations(store, database);
  const applied: string[] = [];
  for (const migration of missing(database, migrations, known)) {
    for (const statement of migration.statements) await store.command(statement.replaceAll('{db}', database));
    await record(store, database, migration);
    applied.push(migration.name);
  }
  return { applied };
}

/** What `migrate` would apply to a database that is there; nothing is written. */
export async function pendingMigrations(store: AnalyticsStore, database: string): Promise<string[]> {
  const migrations = await loadMigrations(migrationFolder(database));
  const known = await appliedMigrations(store, database);
  return missing(database, migrations, known).map(({ name }) => name);
}

/** The files of a folder in order; a repeated number or another name is an error of the program. */
export async function loadMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const number = numberOf(file);
      if (number === null) throw new StoreError('store_failed', `migration ${file} has no number and name`);
      if (index > 0 && numberOf(files[index - 1]!) === number) {
        throw new StoreError('store_failed', `migration ${file} has the number of ${files[index - 1]}`);
      }
      const text = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { number, name: file.slice(0, -4), checksum, statements: splitStatements(text) };
    }),
  );
}

function numberOf(file: string): number | null {
  const match = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file);
  return match && Number(match[1]);
}

interface AppliedMigration {
  number: number;
  name: string;
  checksum: string;
}

function migrationFolder(database: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return database === META_DATABASE ? join(here, 'migrations', 'meta') : join(here, 'migrations');
}

function splitStatements(text: string): string[] {
  const withoutComments = text.replace(/^[ \t]*--.*$/gm, '');
  return withoutComments
    .split(/;[ \t]*(?:\n|$)/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

async function appliedMigrations(store: AnalyticsStore, database: string): Promise<AppliedMigration[]> {
  return store.query<AppliedMigration>(
    `SELECT DISTINCT number, name, checksum FROM ${database}.migrations ORDER BY number, checksum`,
  );
}

/** The migrations from the first one that is not recorded; later ones that are recorded run again too, in their order. */
function missing(database: string, migrations: Migration[], known: AppliedMigration[]): Migration[] {
  for (const row of known) {
    const migration = migrations.find(({ number }) => number === row.number);
    if (migration === undefined) {
      throw new StoreError(
        'schema_too_new',
        `${database} has migration ${row.name}, which this program does not know: use a newer version of the program`,
      );
    }
    if (row.checksum !== migration.checksum) {
      throw new StoreError(
        'schema_changed',
        `${database} was made with another text of migration ${row.name}: migrations are only ever added`,
      );
    }
  }
  const recorded = new Set(known.map(({ number }) => number));
  const first = migrations.findIndex(({ number }) => !recorded.has(number));
  return first < 0 ? [] : migrations.slice(first);
}

async function record(store: AnalyticsStore, database: string, migration: Migration): Promise<void> {
  const number = Buffer.alloc(4);
  number.writeUInt32LE(migration.number);
  const body = Buffer.concat([number, shortString(migration.name), shortString(migration.checksum)]);
  await store.insert(`${database}.migrations`, ['number', 'name', 'checksum'], body, null);
}

function shortString(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > 127) throw new StoreError('store_failed', `migration name is too long: ${text}`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
