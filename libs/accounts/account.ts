/** Plans and the requests per second they allow. */
export const planRates = { Basic: 5, Pro: 20, Enterprise: 100 } as const;
export type Plan = keyof typeof planRates;

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
}

/** Who may call a keyed route. Keys are known only by their hash; a key itself is shown once, when it is made. */
export interface Accounts {
  /** The account of a key, or null when no account has it. */
  authenticate(key: string): Account | null;
  /** The key that is made once for the demo and kept in a file only its owner can read. */
  readonly demo: { readonly key: string; readonly file: string };
}
