import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';

/** A swap that the router quoted and built over a chain with a venue's deployed program, and what it moved there. */
export interface RecordedRoute {
  readonly pool: string;
  readonly mints: readonly [string, string];
  /** Of the venue, before the swap. */
  readonly accounts: ReadonlyMap<string, SolanaAccount | null>;
  /** Of the wallet. */
  readonly own: ReadonlyMap<string, SolanaAccount>;
  readonly question: Record<string, string>;
  /** What the node answered to the simulation. */
  readonly simulation: unknown;
  readonly swap: {
    readonly transaction: string;
    readonly blockhash: string;
    readonly costs: unknown;
    readonly simulation: unknown;
  };
  readonly moved: { readonly amountIn: string; readonly amountOut: string };
}

/** Venues whose routes are run and recorded, by their folders. */
export const ROUTED_VENUES = ['pump-fun', 'pumpswap'];

/** Of direction and exact side: not every venue has all four. */
export const LEAST_KINDS = 3;

type WrittenAccount = [string, [string, string, string] | null];
type Written = Omit<RecordedRoute, 'accounts' | 'own'> & { accounts: WrittenAccount[]; own: WrittenAccount[] };

const FOLDER = join(process.cwd(), 'test/genuine/fixtures/routes');
const fileOf = (venue: string): string => join(FOLDER, `${venue}.json.gz`);

const written = (accounts: ReadonlyMap<string, SolanaAccount | null>): WrittenAccount[] =>
  [...accounts].map(([address, account]) => [
    address,
    account && [account.owner, String(account.lamports), Buffer.from(account.data).toString('base64')],
  ]);
const read = (accounts: readonly WrittenAccount[]) =>
  new Map(
    accounts.map(([address, account]): [string, SolanaAccount | null] => [
      address,
      account && { owner: account[0], lamports: BigInt(account[1]), data: Buffer.from(account[2], 'base64') },
    ]),
  );

export function recordRoutes(venue: string, routes: readonly RecordedRoute[]): void {
  mkdirSync(FOLDER, { recursive: true });
  const all = routes.map(
    (route): Written => ({ ...route, accounts: written(route.accounts), own: written(route.own) }),
  );
  writeFileSync(fileOf(venue), gzipSync(JSON.stringify(all), { level: 9 }));
}

/** None where nothing is recorded. */
export function recordedRoutes(venue: string): readonly RecordedRoute[] {
  if (!existsSync(fileOf(venue))) return [];
  const all = JSON.parse(gunzipSync(readFileSync(fileOf(venue))).toString()) as Written[];
  return all.map((route) => ({
    ...route,
    accounts: read(route.accounts),
    own: read(route.own) as Map<string, SolanaAccount>,
  }));
}
