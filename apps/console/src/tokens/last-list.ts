import { signal } from '@preact/signals';
import type { TokenList } from './load-tokens.js';

/** The list that was shown last, by what it was asked for: who comes back to it sees it at once, where it was left. */
export const lastList = signal<{ about: string; list: TokenList } | null>(null);
