import type { FactsBlock } from '#libs/protocol/facts.js';
import { naiveBalances } from '../../balances/test/oracle.js';
import type { TokenHolders } from '../projection.js';

const ZERO = /^(00)+$/;
const DEAD = [`${'00'.repeat(18)}dead`, '003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000'];

/**
 * Holders and supply of every token after these blocks, from the balances after each of them: complete when they once came to the
 * recorded supply, for the shares of a pair that is made in view, and once something is minted where the blocks are all there
 * are; broken when they once did not add up. In the order of tokens.
 */
export function naiveHolders(blocks: readonly FactsBlock[], fromBeginning = false): TokenHolders[] {
  const pairs = blocks.flatMap(({ pools }) =>
    pools.filter(
      ({ pool, kind, created }) => pool.length === 40 && created && /^(stable|constant-product)$/.test(kind),
    ),
  );
  const shares = new Set(pairs.map(({ pool }) => pool));
  const tokens = new Set([
    ...shares,
    ...blocks.flatMap(({ transfers, tokens }) => [...transfers, ...tokens].map(({ token }) => token)),
  ]);
  return [...tokens]
    .sort()
    .map((token) => {
      // A block that does not name the token changes nothing of it.
      const own = blocks
        .map((block) => ({
          ...block,
          transfers: block.transfers.filter((transfer) => transfer.token === token),
          tokens: block.tokens.filter((record) => record.token === token),
          pools: block.pools.filter(({ pool }) => pool === token),
        }))
        .filter(({ transfers, tokens, pools }) => transfers.length + tokens.length + pools.length > 0);
      const states = own.map((_, index) => after(own.slice(0, index + 1)));
      const broken = states.some(({ held, minted, burnt }) => held !== minted - burnt);
      const complete =
        shares.has(token) ||
        states.some(
          ({ held, recorded, minted }) => (recorded > 0n && held === recorded) || (fromBeginning && minted > 0n),
        );
      return { token, ...states.at(-1)!, standing: broken ? 2 : complete ? 1 : 0 };
    })
    .filter(({ token: _, ...values }) => Object.values(values).some((value) => value !== 0 && value !== 0n));
}

function after(blocks: readonly FactsBlock[]): Omit<TokenHolders, 'token' | 'standing'> {
  const held = naiveBalances(blocks);
  const transfers = blocks.flatMap((block) => block.transfers);
  const sum = (amounts: readonly { amount: bigint }[]) => amounts.reduce((total, { amount }) => total + amount, 0n);
  return {
    holders: held.length,
    held: sum(held),
    minted: sum(transfers.filter(({ from }) => ZERO.test(from))),
    burnt: sum(transfers.filter(({ to }) => ZERO.test(to))),
    dead: sum(held.filter(({ wallet }) => DEAD.includes(wallet))),
    recorded: blocks.flatMap((block) => block.tokens).findLast(({ totalSupply }) => totalSupply)?.totalSupply ?? 0n,
  };
}
