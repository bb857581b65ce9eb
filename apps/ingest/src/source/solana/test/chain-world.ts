import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { rpcCall } from '#libs/devkit/devnet/solana/test/rpc-call.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import { readSlot } from '#libs/routing/pools/solana/slot-reader.js';
import type { Instruction } from '#programs/client.js';
import { SolanaBlockDecoding } from '../decoding.js';
import { SolanaKnownSet } from '../known-set.js';
import type { AccountReads, RawSolanaBlock } from '../raw-block.js';
import type { SolanaTables } from '../tables.js';

/** A local chain whose blocks are read over its own JSON-RPC and decoded one by one, with one wallet that pays for all. */
export const hex = (key: PublicKey): Hex => Buffer.from(key.toBytes()).toString('hex');
export const keyOf = (id: Hex): PublicKey => new PublicKey(Buffer.from(id, 'hex'));
export const RENT = 10_000_000;

export class ChainWorld implements AccountReads {
  readonly payer = Keypair.generate();
  readonly decoding: SolanaBlockDecoding;
  private nodes: SolanaPool | null = null;
  private constructor(
    readonly chain: LocalSolana,
    tables: SolanaTables,
  ) {
    this.decoding = new SolanaBlockDecoding(tables, new SolanaKnownSet());
  }

  static async start(tables: SolanaTables): Promise<ChainWorld> {
    const chain = await startLocalSolana({ confirmedDepth: 0, finalizedDepth: 8 });
    const world = new ChainWorld(chain, tables);
    chain.airdrop(world.payer.publicKey.toBase58(), 500_000_000_000n);
    chain.slot();
    return world;
  }

  /** One transaction in one block; a failure is an error. Answers the decoded block. */
  async block(
    instructions: readonly (TransactionInstruction | Instruction)[],
    signers: Keypair[] = [],
  ): Promise<SourceBlock> {
    const transaction = new Transaction({ recentBlockhash: this.chain.blockhash(), feePayer: this.payer.publicKey });
    for (const instruction of instructions)
      transaction.add('programId' in instruction ? instruction : forWeb3(instruction));
    transaction.sign(this.payer, ...signers);
    this.chain.send(transaction.serialize());
    const { slot, signatures } = this.chain.slot();
    const raw = await this.raw(slot);
    const [landed] = raw.transactions;
    if (signatures.length !== 1 || landed === undefined || landed.tx.failed) {
      throw new Error(`the transaction failed: ${landed?.tx.logs.join('\n')}`);
    }
    return this.decode(raw);
  }

  async decode(raw: RawSolanaBlock): Promise<SourceBlock> {
    const prepared = await this.decoding.prepare([raw], this, AbortSignal.timeout(10_000));
    return this.decoding.build(raw, prepared);
  }

  async raw(slot: number): Promise<RawSolanaBlock> {
    const config = { encoding: 'base64', maxSupportedTransactionVersion: 1, rewards: false, commitment: 'confirmed' };
    const { result, error } = await rpcCall(this.chain.rpcUrl, 'getBlock', slot, config);
    if (error) throw new Error(error.message);
    const hash = (text: string): Hex => solanaIds.parseAddress(text)!;
    return {
      slot,
      parentSlot: result.parentSlot,
      hash: hash(result.blockhash),
      parentHash: hash(result.previousBlockhash),
      time: result.blockTime * 1000,
      source: 'http',
      observedAt: 0,
      proof: 'none',
      transactions: result.transactions.map((entry: never, index: number) => ({
        index,
        tx: readSolanaTransaction(entry),
      })),
    };
  }

  async accounts(addresses: readonly string[], minSlot: number): Promise<(SolanaAccount | null)[]> {
    const { known } = await this.at(addresses, minSlot);
    return addresses.map((address) => known.get(address) ?? null);
  }

  async at(addresses: readonly string[], minSlot: number) {
    this.nodes ??= new SolanaPool({ urls: [this.chain.rpcUrl] });
    const { moment, known } = await readSlot(this.nodes, addresses, 'confirmed', minSlot, AbortSignal.timeout(10_000));
    return { slot: Number(moment.slot), known };
  }

  /** Balance of a token account as the chain holds it; null when there is none. */
  held(account: Hex): bigint | null {
    const found = this.chain.account(solanaIds.formatAddress(account));
    return found && found.data.length >= 72 ? Buffer.from(found.data).readBigUInt64LE(64) : null;
  }
}

export const eventsOf = <K extends ChainEvent['kind']>(
  block: SourceBlock,
  kind: K,
): Extract<ChainEvent, { kind: K }>[] =>
  block.events.filter((event): event is Extract<ChainEvent, { kind: K }> => event.kind === kind);

function forWeb3({ program, accounts, data }: Instruction): TransactionInstruction {
  const keys = accounts.map(({ id, signer, writable }) => ({
    pubkey: keyOf(id),
    isSigner: signer,
    isWritable: writable,
  }));
  return new TransactionInstruction({ programId: keyOf(program), keys, data: Buffer.from(data) });
}
