import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import type { Hex } from '#libs/core/ids.js';
import type { TokenFinding } from '../model/token-finding.js';
import type { TokenFindings } from '../tokens/token-findings.js';
import { StaleHeadError } from './simulation.js';
import { type ProbeContext, probeTransfer } from './transfer-probe.js';

/** An account that no caller can choose: no key of it is known, and no token treats it specially. */
const NEUTRAL: Hex = '7e57'.padStart(40, '0');
/**
 * The pool that receives the first token may hold less than the whole amount: a part of the amount shows the tax just as
 * well.
 */
const PART = 1_000n;

/**
 * Notes what transfers of the path's tokens show at the head, after a build met a tax or a refusal. A finding changes the
 * quotes of every caller, so the caller of this build must not be able to influence it: each probe lets a pool of the
 * route pay an account that belongs to no one. The one exception is a tax on what the wallet pays into the first pool:
 * only the token's own code can take that. When a node does not answer, nothing is learned from this build.
 */
export async function learnTokens(context: ProbeContext, tokens: TokenFindings): Promise<void> {
  const { plan, wrapped, head } = context;
  const block = { height: head.number, time: head.time * 1_000 };
  try {
    await Promise.all(
      plan.path.map(async (token, n) => {
        if (token === wrapped) return;
        const finding = await findingOf(context, token, n);
        if (finding !== null) tokens.note(token, finding, block);
      }),
    );
  } catch (error) {
    if (!(error instanceof RpcError) && !(error instanceof StaleHeadError) && !context.signal.aborted) throw error;
  }
}

async function findingOf(context: ProbeContext, token: Hex, n: number): Promise<TokenFinding | null> {
  const { pools, hops, amountIn, wallet } = context.plan;
  const probe = (from: Hex, to: Hex, amount: bigint) => probeTransfer(context, { token, from, to, amount });
  const [holder, amount] = n === 0 ? [pools[0]!, amountIn / PART + 1n] : [pools[n - 1]!, hops[n - 1]!.amountOut];
  const paid = await probe(holder, NEUTRAL, amount);
  if (paid?.kind === 'refused') return 'not_transferable';
  if (paid?.kind === 'taxed') return 'taxed';
  if (n > 0) return null;
  const sold = await probe(wallet, pools[0]!, amountIn);
  return sold?.kind === 'taxed' ? 'taxed' : null;
}
