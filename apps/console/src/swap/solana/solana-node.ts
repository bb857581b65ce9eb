import { pause } from '../../state/pause.js';
import { type LocalNode, NodeError } from '../demo/local-node.js';

/** What a swap did to the wallet, from the transaction itself. */
export interface LandedSwap {
  readonly slot: number;
  readonly failed: boolean;
  readonly feeLamports: bigint;
  readonly before: WalletState;
  readonly after: WalletState;
}

export interface WalletState {
  readonly lamports: bigint;
  /** By mint; a mint that is not there has nothing. */
  readonly tokens: ReadonlyMap<string, bigint>;
}

interface TokenBalance {
  owner?: string;
  mint: string;
  uiTokenAmount: { amount: string };
}

interface TransactionAnswer {
  slot: number;
  meta: {
    err: unknown;
    fee: number;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: TokenBalance[];
    postTokenBalances: TokenBalance[];
  };
}

const FUNDS = 100_000_000_000;
/** A fork can take the funding back; below this the wallet is filled again. */
const REFILL_BELOW = 10_000_000_000n;
const FUNDED_WITHIN_MS = 30_000;
/** What the program's own quotes are of. */
const CONFIRMED = { commitment: 'confirmed' };

/** The methods of a local Solana chain that the demo needs. */
export class SolanaNode {
  constructor(private readonly rpc: LocalNode) {}

  async lamports(wallet: string): Promise<bigint> {
    return BigInt((await this.rpc.call<{ value: number }>('getBalance', [wallet, CONFIRMED])).value);
  }

  async tokens(mint: string, wallet: string): Promise<bigint> {
    const { value } = await this.rpc.call<{
      value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[];
    }>('getTokenAccountsByOwner', [wallet, { mint }, { ...CONFIRMED, encoding: 'jsonParsed' }]);
    return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
  }

  /** Gives the wallet coins of the local chain, and waits until it has them. */
  async fund(wallet: string): Promise<void> {
    if ((await this.lamports(wallet)) >= REFILL_BELOW) return;
    await this.rpc.call('requestAirdrop', [wallet, FUNDS]);
    const deadline = Date.now() + FUNDED_WITHIN_MS;
    while ((await this.lamports(wallet)) < REFILL_BELOW && Date.now() < deadline) await pause(250);
  }

  /** Answers the signature. */
  send(signed: string): Promise<string> {
    return this.rpc.call('sendTransaction', [signed, { encoding: 'base64', preflightCommitment: 'confirmed' }]);
  }

  async height(): Promise<number> {
    return await this.rpc.call('getBlockHeight', [CONFIRMED]);
  }

  /** How far a transaction is; null: no block has it. */
  async status(signature: string): Promise<'processed' | 'confirmed' | 'finalized' | null> {
    const { value } = await this.rpc.call<{
      value: ({ confirmationStatus: 'processed' | 'confirmed' | 'finalized' } | null)[];
    }>('getSignatureStatuses', [[signature]]);
    return value[0]?.confirmationStatus ?? null;
  }

  /** A confirmed transaction that this wallet paid for; null while there is none. */
  async landed(signature: string, wallet: string): Promise<LandedSwap | null> {
    const options = { ...CONFIRMED, encoding: 'json', maxSupportedTransactionVersion: 1 };
    const answer = await this.rpc.call<TransactionAnswer | null>('getTransaction', [signature, options]);
    if (answer === null) return null;
    const { slot, meta } = answer;
    if (meta === null) throw new NodeError('the local chain does not say what became of it');
    const state = (lamports: readonly number[], tokens: readonly TokenBalance[]): WalletState => ({
      lamports: BigInt(lamports[0]!),
      tokens: new Map(
        tokens
          .filter(({ owner }) => owner === wallet)
          .map(({ mint, uiTokenAmount }) => [mint, BigInt(uiTokenAmount.amount)]),
      ),
    });
    return {
      ...{ slot, failed: meta.err !== null, feeLamports: BigInt(meta.fee) },
      before: state(meta.preBalances, meta.preTokenBalances),
      after: state(meta.postBalances, meta.postTokenBalances),
    };
  }
}
