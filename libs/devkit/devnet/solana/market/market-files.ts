import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';

/**
 * The folder of a market: `chain` holds the chain, `market.json` says that its history was made whole. A chain without
 * that file was cut short while it was made, and is made again.
 */
export interface MarketRecord {
  format: 1;
  seed: number;
}

export class MarketFiles {
  readonly chainFolder: string;
  readonly found: MarketRecord | null;
  private readonly path: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.chainFolder = join(folder, 'chain');
    this.path = join(folder, 'market.json');
    this.found = existsSync(this.path) ? this.read() : null;
    if (this.found === null) rmSync(this.chainFolder, { recursive: true, force: true, maxRetries: 20 });
  }

  /** From here on the next start takes the chain up. */
  finish(record: MarketRecord): void {
    writeFileSync(`${this.path}.tmp`, JSON.stringify(record));
    renameSync(`${this.path}.tmp`, this.path);
  }

  private read(): MarketRecord {
    let record: Partial<MarketRecord>;
    try {
      record = JSON.parse(readFileSync(this.path, 'utf8')) as Partial<MarketRecord>;
    } catch (cause) {
      throw new TidepoolError('devnet_state', `${this.path} is no JSON`, { cause });
    }
    const { format, seed } = record;
    if (format !== 1 || typeof seed !== 'number' || !Number.isSafeInteger(seed)) {
      throw new TidepoolError('devnet_state', `${this.path} does not describe a local Solana market`);
    }
    return { format, seed };
  }
}
