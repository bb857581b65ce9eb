import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concatHex, decodeFunctionResult, encodeFunctionData, type Hex as Prefixed, parseAbi, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import {
  type ChainPool,
  type ChainToken,
  type LocalChain,
  type LocalSlug,
  startLocalChain,
} from '#libs/devkit/devnet/evm/local-chain.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmSwapAnswer, EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { NATIVE_MINT } from '../../native-coin.js';

export interface Hop {
  pool: ChainPool;
  tokenIn: string;
  tokenOut: string;
}

const COIN = 10n ** 18n;
const ABI = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256, uint160[], uint32[], uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
]);

/**
 * A local chain with the genuine contracts, a funded wallet that signs for itself, and quotes priced by the chain's own
 * routers and quoters: everything around a build that is not the build.
 */
export class BuildChain {
  readonly account: PrivateKeyAccount;
  readonly spec: ChainSpec;

  private constructor(
    readonly chain: LocalChain,
    private readonly folder: string,
    key: Prefixed,
  ) {
    this.account = privateKeyToAccount(key);
    this.spec = chainSpec(chain.slug)!;
  }

  static async open(slug: LocalSlug): Promise<BuildChain> {
    const folder = await mkdtemp(join(tmpdir(), 'tidepool-build-'));
    const chain = await startLocalChain({ chain: slug, dataDir: folder, autoMine: false, historyBlocks: 12, seed: 11 });
    const opened = new BuildChain(chain, folder, toHex(0xa11ce, { size: 32 }));
    await opened.fund(opened.wallet);
    return opened;
  }

  async close(): Promise<void> {
    await this.chain.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  get wallet(): Hex {
    return this.account.address.slice(2).toLowerCase();
  }

  /** A hundred thousand dollars of every token, and coins. */
  async fund(wallet: Hex): Promise<void> {
    const wrapped = `0x${this.spec.wrappedNative.token}`;
    const tokens = this.chain.tokens.map((token) => ({
      token: token.address,
      amount: token.address === wrapped ? 40n * COIN : this.units(token, 100_000),
    }));
    await this.chain.fund(`0x${wallet}`, { eth: 1_000n * COIN, tokens });
  }

  units({ decimals, usd }: ChainToken, dollars: number): bigint {
    return (BigInt(Math.max(1, Math.round((dollars / usd) * 1e6))) * 10n ** BigInt(decimals)) / 1_000_000n || 1n;
  }

  token(symbol: string): ChainToken {
    return this.chain.tokens.find((token) => token.symbol === symbol)!;
  }

  tokenAt(address: string): ChainToken {
    return this.chain.tokens.find((token) => token.address === address)!;
  }

  venue(protocol: 'v2' | 'v3'): VenueSpec {
    return this.spec.venues.find((venue) => venue.protocol === protocol)!;
  }

  /** Hops over the named tokens, through the deepest listed pool of each pair. */
  hops(protocol: 'v2' | 'v3', ...symbols: string[]): Hop[] {
    const tokens = symbols.map((symbol) => this.token(symbol).address);
    return tokens.slice(1).map((tokenOut, n) => {
      const tokenIn = tokens[n]!;
      const pool = this.chain.pools.find(
        ({ version, token0, token1 }) =>
          version === protocol && [token0, token1].includes(tokenIn) && [token0, token1].includes(tokenOut),
      );
      if (!pool) throw new Error(`no ${protocol} pool of ${symbols[n]} and ${symbols[n + 1]}`);
      return { pool, tokenIn, tokenOut };
    });
  }

  /** Priced by the chain itself at its head. Throws where a hop gives nothing: the router finds no such route. */
  async quote(
    hops: readonly Hop[],
    amount: bigint,
    { slippageBps = 50, nativeIn = false, nativeOut = false } = {},
  ): Promise<EvmQuote> {
    const venue = this.venue(hops[0]!.pool.version);
    const outputs: bigint[] = [];
    for (const hop of hops) outputs.push(await this.priceHop(venue, hop, outputs.at(-1) ?? amount));
    if (outputs.includes(0n)) throw new Error('a hop of the route gives nothing');
    const routePlan = hops.map(({ pool, tokenIn, tokenOut }, n) => ({
      swapInfo: {
        ammKey: pool.address,
        label: venue.label,
        inputMint: tokenIn,
        inAmount: (n === 0 ? amount : outputs[n - 1]!).toString(),
        outputMint: tokenOut,
        outAmount: outputs[n]!.toString(),
        feeAmount: '0',
        feeMint: tokenIn,
      },
      percent: 100,
      bps: 10_000,
      fee: pool.fee,
      venueId: venue.id,
    }));
    const out = outputs.at(-1)!;
    return {
      ...(await this.common(slippageBps)),
      inputMint: nativeIn ? `0x${NATIVE_MINT}` : hops[0]!.tokenIn,
      inAmount: amount.toString(),
      outputMint: nativeOut ? `0x${NATIVE_MINT}` : hops.at(-1)!.tokenOut,
      outAmount: out.toString(),
      otherAmountThreshold: ((out * BigInt(10_000 - slippageBps)) / 10_000n).toString(),
      routePlan,
      router: `0x${venue.contracts!.router}`,
      candidates: 1,
      ...UNKNOWN,
    };
  }

  async wrapQuote(kind: 'wrap' | 'unwrap', amount: bigint): Promise<EvmQuote> {
    const wrapped = `0x${this.spec.wrappedNative.token}`;
    const mints = [`0x${NATIVE_MINT}`, wrapped];
    const [inputMint, outputMint] = kind === 'wrap' ? mints : mints.reverse();
    const text = amount.toString();
    return {
      ...(await this.common(50)),
      inputMint: inputMint!,
      inAmount: text,
      outputMint: outputMint!,
      outAmount: text,
      otherAmountThreshold: text,
      routePlan: [],
      router: wrapped,
      candidates: 0,
      ...UNKNOWN,
    };
  }

  private async common(slippageBps: number) {
    const head = await this.chain.rpc.call<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false]);
    return {
      swapMode: 'ExactIn' as const,
      slippageBps,
      priceImpactPct: '0' as const,
      contextSlot: Number(head.number),
      timeTaken: 0.001,
      quoteId: randomUUID(),
      chain: this.spec.slug,
      chainId: this.spec.chainId!,
      gasEstimate: '150000',
      blockHash: head.hash,
      expiresAt: new Date(Date.now() + 30_000).toISOString(),
    };
  }

  private async priceHop(venue: VenueSpec, { pool, tokenIn, tokenOut }: Hop, amount: bigint): Promise<bigint> {
    const path = [tokenIn, tokenOut] as Prefixed[];
    if (pool.version === 'v2') {
      const to = `0x${venue.contracts!.router}`;
      const data = encodeFunctionData({ abi: ABI, functionName: 'getAmountsOut', args: [amount, path] });
      const answer = await this.chain.rpc.call<Prefixed>('eth_call', [{ to, data }, 'latest']);
      return decodeFunctionResult({ abi: ABI, functionName: 'getAmountsOut', data: answer }).at(-1)!;
    }
    const to = `0x${venue.contracts!.quoter!.address}`;
    const bytes = concatHex([path[0]!, toHex(pool.fee, { size: 3 }), path[1]!]);
    const data = encodeFunctionData({ abi: ABI, functionName: 'quoteExactInput', args: [bytes, amount] });
    const answer = await this.chain.rpc.call<Prefixed>('eth_call', [{ to, data }, 'latest']);
    return decodeFunctionResult({ abi: ABI, functionName: 'quoteExactInput', data: answer })[0];
  }

  /** An owner's balance of a mint; the native coin included. */
  async balance(mint: string, owner: Hex): Promise<bigint> {
    const { rpc } = this.chain;
    if (mint === `0x${NATIVE_MINT}`) return BigInt(await rpc.call<string>('eth_getBalance', [`0x${owner}`, 'latest']));
    const data = encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [`0x${owner}`] });
    return BigInt(await rpc.call<string>('eth_call', [{ to: mint, data }, 'latest']));
  }

  async nonce(): Promise<number> {
    return Number(await this.chain.rpc.call<string>('eth_getTransactionCount', [this.account.address, 'latest']));
  }

  /** Signs and sends the transactions as they are, in order, in one block, of that time if one is given. Returns receipts. */
  async mine(transactions: readonly EvmTransaction[], time?: number): Promise<Receipt[]> {
    const { rpc } = this.chain;
    let nonce = await this.nonce();
    const hashes: string[] = [];
    for (const tx of transactions) {
      const raw = await this.account.signTransaction({
        type: 'eip1559',
        chainId: tx.chainId,
        nonce: nonce++,
        to: tx.to as Prefixed,
        data: tx.data as Prefixed,
        value: BigInt(tx.value),
        gas: BigInt(tx.gas),
        maxFeePerGas: BigInt(tx.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(tx.maxPriorityFeePerGas),
      });
      hashes.push(await rpc.call<string>('eth_sendRawTransaction', [raw]));
    }
    if (time === undefined) {
      await this.chain.mine({ traders: false });
    } else {
      await rpc.call('evm_setNextBlockTimestamp', [time]);
      await rpc.call('evm_mine');
    }
    return (await rpc.batch(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )) as Receipt[];
  }

  /** Mines a build; returns what the recipient gained, the gas that the wallet paid for put back. */
  async execute(answer: EvmSwapAnswer, recipient = this.wallet): Promise<{ received: bigint; receipts: Receipt[] }> {
    const { outputMint } = answer.quoteResponse;
    const before = await this.balance(outputMint, recipient);
    const receipts = await this.mine([...answer.setupTransactions, answer.swapTransaction]);
    const after = await this.balance(outputMint, recipient);
    const paid = receipts.reduce((sum, r) => sum + BigInt(r.gasUsed) * BigInt(r.effectiveGasPrice), 0n);
    const own = outputMint === `0x${NATIVE_MINT}` && recipient === this.wallet;
    return { received: after - before + (own ? paid : 0n), receipts };
  }

  /** A call of the wallet, or of anybody: every account of the node is impersonated. */
  async send(to: string, data: Prefixed, from: string = this.account.address, value = 0n): Promise<Receipt> {
    const { rpc } = this.chain;
    const tx = { from, to, data, gas: toHex(1_500_000), value: toHex(value) };
    const hash = await rpc.call<string>('eth_sendTransaction', [tx]);
    await this.chain.mine({ traders: false });
    return (await rpc.call<Receipt>('eth_getTransactionReceipt', [hash])) as Receipt;
  }

  async approve(token: string, spender: Hex, amount: bigint): Promise<void> {
    const args = [`0x${spender}` as Prefixed, amount] as const;
    await this.send(token, encodeFunctionData({ abi: ABI, functionName: 'approve', args }));
  }
}

/** What only the router's own pools tell. */
const UNKNOWN = { impactBps: null, inUsd: null, outUsd: null, warnings: [] };

export interface Receipt {
  status: string;
  gasUsed: string;
  effectiveGasPrice: string;
}

export const minedWell = (receipts: readonly Receipt[]): boolean => receipts.every(({ status }) => status === '0x1');
