import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../migrate.js';
import { sqlIdentifier } from '../query-parameters.js';
import { RowBuffer } from '../row-buffer.js';
import type { AnalyticsStore } from '../store.js';

/** Database of the pictures of all chains. */
const MEDIA_DATABASE = 'tidepool_media';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'migrations', 'media');

/**
 * The table `pictures`: files by name, which is the hash of their content. Every process of an instance finds the same files; one
 * that is lost is fetched again.
 */
export class PictureTable {
  private readonly table: string;

  constructor(
    private readonly store: AnalyticsStore,
    readonly database: string = MEDIA_DATABASE,
  ) {
    this.table = `${sqlIdentifier(database)}.pictures`;
  }

  async ensure(): Promise<void> {
    await migrate(this.store, this.database, { folder });
  }

  async names(): Promise<Set<string>> {
    const rows = await this.store.query<{ name: string }>(`SELECT DISTINCT name FROM ${this.table}`);
    return new Set(rows.map(({ name }) => name));
  }

  async insert(name: string, content: Buffer, now: number): Promise<void> {
    const rows = new RowBuffer(content.length * 2 + 256);
    rows.text(name);
    rows.int64(now);
    rows.text(content.toString('base64'));
    await this.store.insert(this.table, ['name', 'written_at', 'content'], rows.take(), null);
  }

  async read(name: string): Promise<Buffer | null> {
    const rows = await this.store.query<{ content: string }>(
      `SELECT content FROM ${this.table} WHERE name = {name:String} LIMIT 1`,
      { name },
    );
    return rows.length === 0 ? null : Buffer.from(rows[0]!.content, 'base64');
  }
}
