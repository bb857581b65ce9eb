import { signal } from '@preact/signals';
import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';

type Family = ChainBody['family'];

/** Families of the chains as the service named them; empty until it did. */
const families = signal<ReadonlyMap<string, Family>>(new Map());

export function learnFamilies(rows: readonly Pick<ChainBody, 'chain' | 'family'>[]): void {
  families.value = new Map(rows.map(({ chain, family }) => [chain, family]));
}

export const familyOf = (chain: string): Family | null => families.value.get(chain) ?? null;
