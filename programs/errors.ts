/** Names of the programs' errors by code, as the C sources number them. */
const numbered = (first: number, names: string): ReadonlyMap<number, string> =>
  new Map(names.split(/\s+/).map((name, index) => [first + index, name]));

export const swapErrors = numbered(
  6000,
  `Instruction Accounts Config Signer Paused NoRow RowDead Program TokenAccount Mint Duplicate Plan Flags Amount Overflow
Slippage Fee FeeAccount Venue Tampered Overspent Short Address Admin Authority Exists RowsFull Kind Extension
Wallet`,
);
export const poolErrors = numbered(
  6100,
  'Instruction Accounts Pool Signer Vault Mint Fee Amount Overflow Slippage Token Address Exists',
);
export const launchpadErrors = numbered(
  6200,
  `Instruction Accounts Curve Signer Vault Mint Fee Amount Overflow Slippage Token Address Exists Complete NotComplete
Config Authority Creator Text Program`,
);

/** `swap.Slippage`, `pool.Vault`; null for a code no program here has. */
export function errorName(code: number): string | null {
  const families = { swap: swapErrors, pool: poolErrors, curve: launchpadErrors };
  for (const [family, names] of Object.entries(families)) {
    const name = names.get(code);
    if (name) return `${family}.${name}`;
  }
  return null;
}
