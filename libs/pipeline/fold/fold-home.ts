import { join } from 'node:path';
import { LmdbHome, type LmdbHomeOptions } from '#libs/pipeline/state/lmdb/lmdb-home.js';
import { foldSpaces } from './fold-spaces.js';

/** The fold of one epoch under one fold version. */
export interface FoldPlace {
  chain: string;
  epoch: number;
  foldVersion: number;
}

const nameOf = ({ chain, epoch, foldVersion }: FoldPlace): string => `${chain}.e${epoch}.f${foldVersion}`;

/** Where an instance keeps the state of one fold. */
export const foldHomeIn = (dataDir: string, place: FoldPlace, options?: LmdbHomeOptions): LmdbHome =>
  new LmdbHome(join(dataDir, 'state', nameOf(place)), foldSpaces, options);

/** Where programs before keyed state kept its snapshots. */
export const oldSnapshotsDir = (dataDir: string, place: FoldPlace): string => join(dataDir, 'snapshots', nameOf(place));
