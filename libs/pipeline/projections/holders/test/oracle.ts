import type { FactsBlock } from '#libs/protocol/facts.js';
import { naiveBalances } from '../../balances/test/oracle.js';
import type { TokenHolders } from '../projection.js';

const ZERO = /^(00)+$/;
const DEAD = [`${'00'.repeat(18)}dead`, '003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000'];

/**
 * Holders and supply of every token after these blocks, from the balances after each of them: complete when they once came to the
 * recorded supply, broken when they once did not add up. In the order of tokens.
 */
export function naiveHolders(blocks: readonly FactsBlock[]): TokenHolders[] {
  const tokens = new Set(
    blocks.flatMap(({ transfers, tokens }) => [...transfers, ...tokens].map(({ token }) => token)),
  );
  return [...tokens]
    .sort()
    .map((token) => {
      // A block that does not name the token changes nothing of it.
      const own = blocks
        .map((block) => ({
          ...block,
          transfers: block.transfers.filter((transfer) => transfer.token === token),
          tokens: block.tokens.filter((record) => record.token === token),
        }))
        .filter(({ transfers, tokens }) => transfers.length + tokens.length > 0);
      const states = own.map((_, index) => after(own.slice(0, index + 1)));
      const broken = states.some(({ held, minted, burnt }) => held !== minted - burnt);
      const complete = states.some(({ held, recorded }) => recorded > 0n && held === recorded);
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
