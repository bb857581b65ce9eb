import type { Abi } from 'viem';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { revertText } from '../../evm/build/revert-text.js';
import type { StepResult } from '../../evm/build/simulation.js';
import { balanceCall, readUint } from '../../evm/build/token-calls.js';
import { type ContractCall } from '../../evm/model/contract-call.js';
import { createSimulationFailed, notWired } from '../launch-problem.js';
import type { BuiltLaunch, CreateOrder } from '../ports.js';
import { atHead, type HeadBuild, priced, requireValue } from './head-build.js';

/** How long the fees of an answer are good. */
const LIFETIME_MS = 120_000;
const BPS = 10_000n;

/** The one call of a launchpad that makes a token, what it trades in, and buys the first of it. */
export interface EvmCreate {
  readonly platform: string;
  /** As people call it. */
  readonly label: string;
  /** Its own errors, besides those that everybody knows. */
  readonly errors?: Abi;
  /**
   * Whether the call fails where the first buy gives less than `leastTokens`. False: the call itself makes the pool that it
   * buys from, on terms that are in it, so that nothing comes between and it gives what its simulation gave.
   */
  readonly keepsFloor: boolean;
  call(leastTokens: bigint): ContractCall;
  /**
   * What a call that was carried out answered; null: no such launchpad answered. The curve may be the id of a pool. `ask`: what
   * a contract answers once the call is done, where the call does not say it.
   */
  made(answer: Hex, ask: (question: ContractCall) => Promise<Hex>): MadeToken | null | Promise<MadeToken | null>;
}

interface MadeToken {
  readonly token: Hex;
  readonly curve: Hex;
  /** What the first buy gave, where the call says it; otherwise it is what the creator holds then. */
  readonly bought?: bigint;
}

/** Builds that call on the node's head: tried, its first buy measured, held to a floor, tried again, priced. */
export function measuredCreate(
  endpoint: RpcEndpoint,
  order: CreateOrder,
  create: EvmCreate,
  signal: AbortSignal,
): Promise<BuiltLaunch> {
  return atHead(endpoint, order.creator, signal, (head) => buildOn(head, order, create));
}

async function buildOn(head: HeadBuild, order: CreateOrder, create: EvmCreate): Promise<BuiltLaunch> {
  const { chain, creator, initialBuy, slippageBps, symbol } = order;
  const { formatAddress } = chain.ids;
  requireValue(head.wallet, initialBuy);
  let call = create.call(0n);
  let [result] = (await head.run([call])) as [StepResult];
  const made = await madeBy(head, create, call, result);
  const { token, curve } = made;
  let [bought, floor] = [0n, 0n];
  if (initialBuy > 0n) {
    const held = () => answerAfter(head, create, call, balanceCall(token, creator)).then(readUint);
    bought = made.bought ?? (await held()) ?? 0n;
    if (bought === 0n) throw createSimulationFailed('the first buy gives nothing');
    floor = bought;
    if (create.keepsFloor) {
      floor = (bought * (BPS - BigInt(slippageBps))) / BPS;
      call = create.call(floor);
      [result] = (await head.run([call])) as [StepResult];
      refuseFailed(result, create);
    }
  }
  const description = `Create ${symbol} on ${create.label}`;
  const { transaction, gasCost } = priced(chain.chainId!, creator, call, result, head.wallet, description);
  const { number } = head.wallet.head;
  return {
    ...{ address: formatAddress(token), curve: formatAddress(curve), transactions: [transaction] },
    signers: [{ address: formatAddress(creator), secretKey: null }],
    expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString(),
    buy:
      initialBuy === 0n
        ? null
        : { inAmount: String(initialBuy), outAmount: String(bought), minOutAmount: String(floor) },
    cost: {
      ...{ networkFee: String(gasCost), rent: '0', initialBuy: String(initialBuy) },
      total: String(gasCost + initialBuy),
    },
    simulation: { block: String(number), used: String(result.gasUsed) },
  };
}

/** A contract that is not there answers nothing, and takes every call. */
async function madeBy(head: HeadBuild, create: EvmCreate, call: ContractCall, result: StepResult): Promise<MadeToken> {
  refuseFailed(result, create);
  const made = await create.made(result.data, (question) => answerAfter(head, create, call, question));
  if (made === null) throw notWired(`no ${create.platform} launchpad stands at 0x${call.to} on the chain of this node`);
  return made;
}

async function answerAfter(
  head: HeadBuild,
  create: EvmCreate,
  call: ContractCall,
  question: ContractCall,
): Promise<Hex> {
  const [done, answered] = (await head.run([call, question])) as [StepResult, StepResult];
  refuseFailed(done, create);
  refuseFailed(answered, create);
  return answered.data;
}

function refuseFailed({ ok, data }: StepResult, { errors }: EvmCreate): void {
  if (!ok) throw createSimulationFailed(revertText(data, errors));
}
