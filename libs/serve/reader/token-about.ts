import type { Hex } from '#libs/core/ids.js';
import { noSafeties, type TokenSafeties } from '#libs/pipeline/safety/safety-book.js';
import type { SafetySummary, TokenSafetyRecord } from '#libs/protocol/token-safety.js';

/** What was read where a token's metadata lead. */
export interface TokenAbout {
  /** Name of its picture's file; null where it has none that is shown. */
  readonly picture: string | null;
  /** The https address of the picture; null also where this instance has none. */
  readonly image: string | null;
  readonly description: string | null;
  readonly twitter: string | null;
  readonly telegram: string | null;
  readonly website: string | null;
  readonly discord: string | null;
  /** Where it was read, where that is an address. */
  readonly uri: string | null;
}

/**
 * The same for the tokens of one chain. It is no part of a view: what was fetched has a time of its own, and every view shows the
 * newest.
 */
export interface TokenAbouts {
  /** Another one after each change, and the same at every process that knows as much. */
  readonly version: string;
  of(token: Hex): TokenAbout;
  /** What simulations found of it; null before the first look. */
  risksOf(token: Hex): SafetySummary | null;
  safetyOf(token: Hex): TokenSafetyRecord | null;
  /** A client wants to know what simulations find of it. */
  askSafety(token: Hex): void;
  /** Calls the listener after each change of a token, until the returned function is called. */
  watch(token: Hex, listener: () => void): () => void;
}

export const NOTHING_ABOUT: TokenAbout = {
  ...{ picture: null, image: null, description: null, uri: null },
  ...{ twitter: null, telegram: null, website: null, discord: null },
};

/** What metadata say alone. */
export type SaidAbouts = Omit<TokenAbouts, 'risksOf' | 'safetyOf' | 'askSafety'>;

/** Of an instance that follows no metadata. */
export const noMetadata: SaidAbouts = { version: '', of: () => NOTHING_ABOUT, watch: () => () => undefined };

/** Both together, each of which has a time of its own. */
export const aboutsOf = (said: SaidAbouts, safeties: TokenSafeties): TokenAbouts => ({
  get version() {
    return `${said.version}.${safeties.version}`;
  },
  of: (token) => said.of(token),
  risksOf: (token) => safeties.summaryOf(token),
  safetyOf: (token) => safeties.recordOf(token),
  askSafety: (token) => safeties.ask(token),
  watch: (token, listener) => {
    const ends = [said.watch(token, listener), safeties.watch(token, listener)];
    return () => {
      for (const end of ends) end();
    };
  },
});

export const noAbouts = aboutsOf(noMetadata, noSafeties);
