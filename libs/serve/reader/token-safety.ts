import type { Hex } from '#libs/core/ids.js';
import { balances } from '#libs/pipeline/projections/balances/projection.js';
import { lpShares } from '#libs/pipeline/projections/lp-shares/projection.js';
import { type TokenRights, tokenRights } from '#libs/pipeline/projections/token-rights/projection.js';
import { tokenShares } from '#libs/pipeline/projections/token-shares/projection.js';
import type { Finding, TokenSafetyRecord } from '#libs/protocol/token-safety.js';
import type { ChainView } from './chain-view.js';
import { readHolderKinds } from './holder-kinds.js';
import { readKeyed, readRanked } from './read-keyed.js';
import { pricedPool } from './read-prices.js';
import type { TokenOrigin } from './token-launch.js';
import { sharePercent, type TokenSupply } from './token-supply.js';

/** Who holds how much of a token's supply, in percent, and who may still change it. Null: not measured. */
export interface TokenSafety {
  readonly top10Percent: number | null;
  readonly creatorPercent: number | null;
  readonly sniperPercent: number | null;
  readonly bundlerPercent: number | null;
  readonly insiderPercent: number | null;
  readonly lpBurntPercent: number | null;
  readonly mintable: boolean | null;
  readonly freezable: boolean | null;
  readonly renounced: boolean | null;
  readonly buyTaxPercent: number | null;
  readonly sellTaxPercent: number | null;
  readonly transferTaxPercent: number | null;
  /** What simulations found of a token of an EVM chain; null before the first look. */
  readonly found: TokenSafetyRecord | null;
}

/**
 * Shares are of tokens whose transfers are all in view; those of the creator and of insiders of tokens whose creator is known, those
 * of snipers and bundlers of tokens whose first trade of all is in view.
 */
export async function readSafety(
  view: ChainView,
  token: Hex,
  { supply: { total, holders }, origin: { creator } }: { supply: TokenSupply; origin: TokenOrigin },
): Promise<TokenSafety> {
  const measured = holders !== null;
  const [rights, shares, top, lpBurntPercent] = await Promise.all([
    readKeyed(view, tokenRights, { token: { is: token } }),
    measured ? readKeyed(view, tokenShares, { token: { is: token } }) : [],
    measured ? heldByTen(view, token) : null,
    lpBurnt(view, token),
  ]);
  const [share] = shares;
  const found = view.about.safetyOf(token);
  const percent = (known: boolean, amount: bigint | undefined): number | null =>
    measured && known ? sharePercent(amount ?? 0n, total) : null;
  return {
    top10Percent: top === null ? null : sharePercent(top, total),
    creatorPercent: percent(creator !== null, share?.creator),
    sniperPercent: percent(share?.fresh === 1, share?.snipers),
    bundlerPercent: percent(share?.fresh === 1, share?.bundlers),
    insiderPercent: percent(creator !== null, share?.insiders),
    lpBurntPercent,
    ...(found === null && rights[0] !== undefined ? rightsOf(rights[0]) : rightsFound(found)),
  };
}

/** Of the shares of the pool that sets the token's price. Null without such a pool, and where its shares are not all in view. */
async function lpBurnt(view: ChainView, token: Hex): Promise<number | null> {
  if (view.chain.family !== 'evm') return null;
  const priced = await pricedPool(view, token);
  if (priced === null) return null;
  const [shares] = await readKeyed(view, lpShares, { pool: { is: priced } });
  return shares === undefined ? null : sharePercent(shares.burnt, shares.supply);
}

type Rights = Pick<TokenSafety, 'mintable' | 'freezable' | 'renounced' | 'found'> &
  Pick<TokenSafety, 'buyTaxPercent' | 'sellTaxPercent' | 'transferTaxPercent'>;

function rightsFound(found: TokenSafetyRecord | null): Rights {
  const { mintable, blacklist, renounced, buyTaxBps, sellTaxBps, transferTaxBps } = found?.findings ?? {};
  const percent = (tax: Finding<number> | undefined): number | null =>
    tax === undefined || tax.value === null ? null : tax.value / 100;
  return {
    ...{ mintable: mintable?.value ?? null, freezable: blacklist?.value ?? null, renounced: renounced?.value ?? null },
    ...{ buyTaxPercent: percent(buyTaxBps), sellTaxPercent: percent(sellTaxBps) },
    ...{ transferTaxPercent: percent(transferTaxBps), found },
  };
}

/** What the log says, where it does. */
function rightsOf(row: TokenRights): Rights {
  const held = [
    { known: row.mintKnown, by: row.mint },
    { known: row.freezeKnown, by: row.freeze },
    { known: row.metadataKnown, by: row.metadata },
  ].map(({ known, by }) => (known === 1 ? by !== '' : null));
  const [mintable, freezable] = held as [boolean | null, boolean | null];
  return {
    ...{ mintable, freezable },
    renounced: held.includes(true) ? false : held.includes(null) ? null : true,
    ...taxes(row.feeKnown === 1 ? Math.min(row.transferFeeBps, 10_000) / 100 : null),
    found: null,
  };
}

/** A fee of the token program is on every transfer. */
const taxes = (percent: number | null) => ({
  ...{ buyTaxPercent: percent, sellTaxPercent: percent, transferTaxPercent: percent },
});

const TEN = 10;
const ROWS = 40;

/** What the ten largest holders have that are no pool, no curve and no burn address. */
async function heldByTen(view: ChainView, token: Hex): Promise<bigint> {
  let [sum, counted] = [0n, 0];
  for (let offset = 0; ; offset += ROWS) {
    const rows = await readRanked(view, balances, { token: { is: token } }, { by: 'amount', offset, limit: ROWS });
    const kinds = await readHolderKinds(
      view,
      rows.map(({ wallet }) => wallet),
    );
    for (const { wallet, amount } of rows) {
      const kind = kinds.get(wallet);
      if (kind === 'pool' || kind === 'curve' || kind === 'burn') continue;
      sum += amount;
      if (++counted === TEN) return sum;
    }
    if (rows.length < ROWS) return sum;
  }
}
