import { base58 } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { associatedId } from '#programs/client.js';
import type { Reply } from './router-harness.js';
import { COIN, hex, SolanaWorld, type SolanaWorldOptions } from './solana-world.js';

const SIGNATURE_BYTES = 64;
const LAMPORTS = 1_000_000_000n;

/** A wallet of the local chain that asks the router for builds, signs and sends them. */
export class SolanaWallet {
  readonly key = new SeededKey('a wallet of the router');

  private constructor(readonly world: SolanaWorld) {}

  /** With coins and some tokens, in a world of its own, which the caller closes. */
  static async start(options: SolanaWorldOptions = {}): Promise<SolanaWallet> {
    const world = await SolanaWorld.start(options);
    const wallet = new SolanaWallet(world);
    const tokens = ['USDC', 'STRN', 'CORM'].map((symbol) => ({ mint: world.mint(symbol), amount: 50_000_000_000n }));
    world.market.fund(wallet.address, { lamports: 10_000n * LAMPORTS, tokens });
    await world.settled();
    return wallet;
  }

  get address(): string {
    return this.key.address;
  }

  lamports(): bigint {
    return this.world.market.chain.account(this.address)?.lamports ?? 0n;
  }

  /** Of a mint, whatever token program it is of. */
  tokenAccount(mint: string, owner = this.key.id): string {
    const program = this.world.market.chain.account(mint)?.owner;
    return program === undefined ? base58(associatedId(owner, hex(mint))) : this.tokenAccountOf(mint, program, owner);
  }

  tokenAccountOf(mint: string, program: string, owner = this.key.id): string {
    return base58(associatedId(owner, hex(mint), hex(program)));
  }

  /** What the account of a mint holds. */
  held(mint: string, owner = this.key.id): bigint {
    const account = this.world.market.chain.account(this.tokenAccount(mint, owner));
    return account === null ? 0n : Buffer.from(account.data).readBigUInt64LE(64);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a quote, compared field by field
  async quoted(parameters: Record<string, string>): Promise<any> {
    const { status, body } = await this.world.quote(parameters);
    expect([parameters, status]).toEqual([parameters, 200]);
    return body;
  }

  build(path: '/swap' | '/swap-instructions', quoteResponse: object, more: object = {}): Promise<Reply> {
    return this.world.post(path, { quoteResponse, userPublicKey: this.address, ...more });
  }

  /** The bytes of an answer, signed. */
  signed(text: string): Buffer {
    const message = Buffer.from(text, 'base64').subarray(0, -SIGNATURE_BYTES);
    return Buffer.concat([message, this.key.sign(message)]);
  }

  /** Signs the bytes of an answer, sends them, makes a block; the outcome. */
  send(text: string): unknown {
    const { chain } = this.world.market;
    const signature = chain.send(this.signed(text));
    chain.slot();
    return chain.resultOf(signature);
  }

  /** The transaction of what `/swap-instructions` answered, as `/transaction` serializes it. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the router
  private async serialized({ setupInstructions, swapInstruction, transactionConfig, blockhash }: any): Promise<string> {
    const instructions = [...setupInstructions, swapInstruction];
    const answer = await this.world.post('/transaction', {
      ...{ payer: this.address, instructions, transactionConfig, blockhash },
    });
    expect(answer.status).toBe(200);
    return answer.body.transaction;
  }

  /** Quote, build, sign, send what that route gives: what left and what reached the wallet, with the quote and both builds. */
  async swapped(parameters: Record<string, string>, more: object = {}, door: '/swap' | '/transaction' = '/swap') {
    const quote = await this.quoted(parameters);
    const instructions = await this.build('/swap-instructions', quote, more);
    const swap = await this.build('/swap', quote, more);
    expect([instructions.status, instructions.body?.reason, swap.status]).toEqual([200, undefined, 200]);
    this.world.fits('SolSwapInstructionsAnswer', instructions.body);
    this.world.fits('SolSwapAnswer', swap.body);
    const before = { lamports: this.lamports(), in: this.held(quote.inputMint), out: this.held(quote.outputMint) };
    const { swapTransaction } = swap.body;
    expect(this.send(door === '/swap' ? swapTransaction : await this.serialized(instructions.body))).toBeNull();
    const { totalLamports } = instructions.body.costs;
    return {
      ...{ quote, swap: swap.body, instructions: instructions.body },
      paid: before.in - this.held(quote.inputMint),
      got: this.held(quote.outputMint) - before.out,
      /** The costs left out. */
      coins: this.lamports() - before.lamports + BigInt(totalLamports),
    };
  }

  /** A swap that moves what was quoted and simulated, to the unit, on either side within its threshold. */
  async swappedAsQuoted(parameters: Record<string, string>, door: '/swap' | '/transaction' = '/swap') {
    const done = await this.swapped(parameters, {}, door);
    const { quote, swap, paid, got, coins } = done;
    const [given, taken] = [BigInt(quote.inAmount), BigInt(quote.outAmount)];
    const [fromCoins, toCoins] = [quote.inputMint === COIN, quote.outputMint === COIN];
    expect({ parameters, paid, got, coins }).toEqual({
      ...{ parameters, paid: fromCoins ? 0n : given, got: toCoins ? 0n : taken },
      coins: (toCoins ? taken : 0n) - (fromCoins ? given : 0n),
    });
    expect(swap.simulation).toMatchObject({ inAmount: quote.inAmount, outAmount: quote.outAmount });
    const threshold = BigInt(quote.otherAmountThreshold);
    const within = quote.swapMode === 'ExactIn' ? taken >= threshold : given <= threshold;
    expect({ parameters, within }).toEqual({ parameters, within: true });
    return done;
  }

  /** A curve that trades against the coin. */
  curve(): string {
    const isOpen = (curve: { status: string; quoteMint: string }) =>
      curve.status === 'trading' && curve.quoteMint === COIN;
    return this.world.market.contents().curves.find(isOpen)!.mint;
  }
}
