import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Events and instructions of mainnet with the values that public sources state of them; ../fixtures/README.md names these. */
export interface RecordedEvents {
  readonly events: { test: string; bytes: string; fields: Record<string, string> }[];
  readonly pump: { signature: string; event: string; bytes: string; fields: Record<string, string | boolean> }[];
  readonly instructions: RecordedInstruction[];
}

export interface RecordedInstruction {
  readonly program: string;
  readonly name: string;
  readonly data: string;
  readonly accounts: string[];
  /** What the source's own decoder calls each account. */
  readonly labels: (string | null)[];
}

export const recordedEvents: RecordedEvents = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'libs/chain/market-ports/solana/fixtures/events.json.gz'))).toString(),
);
