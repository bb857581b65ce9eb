import { addressId } from '#libs/chain/chains/solana/address-ids.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { movedBalances } from '#libs/chain/chains/solana/moved-balances.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { readMetaplex } from '#libs/chain/chains/solana/token/metaplex.js';
import type { TokenChange } from '#libs/chain/chains/solana/token/token-changes.js';
import { readMintFacts } from '#libs/chain/chains/solana/token/token-facts.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { SolanaLaunchStep } from '#libs/chain/market-ports/solana/launches.js';
import { coinPayment } from '#libs/chain/market-ports/solana/payments.js';
import type { SolanaPosition } from '#libs/chain/market-ports/solana/pool-positions.js';
import type { SolanaTrade } from '#libs/chain/market-ports/solana/trades.js';
import { LogBrokenError, UndecodableError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { ChainEvent, PoolRecord, TokenRecord, TxRecord } from '#libs/protocol/blocks.js';
import { PreparedRun, readBlock, type TransactionFacts } from './block-facts.js';
import type { SolanaKnownSet } from './known-set.js';
import { poolRecordOf, stateAfter } from './pool-record.js';
import { positionEvent } from './position-event.js';
import type { PreparedBlocks, RawSolanaBlock } from './raw-block.js';
import type { SolanaTables } from './tables.js';
import { movements, NOBODY } from './transfers.js';
import { type PoolReserves, reservesAfter } from './vaults.js';

const COIN = addressId(WRAPPED_SOL)!;

/** An event before it has its place in the block. */
type Fact = ChainEvent extends infer E ? (E extends ChainEvent ? Omit<E, 'tx' | 'ordinal'> : never) : never;

export interface BuilderDeps {
  readonly tables: SolanaTables;
  readonly known: SolanaKnownSet;
}

/**
 * Turns a checked raw block into the record of the log and follows it in the known set. Otherwise pure: what the node had
 * to be asked comes in prepared. A pool or token is recorded in the first block that needs it, a
 * token again once more of it is known.
 *
 * Inside a transaction: what changed about known tokens, then tokens and pools that are met for the first time; the legs in
 * execution order, each pool's reserves before its first swap; the reserves of other pools; launches; payments in the coin; transfers. All state
 * is that after the transaction, so several legs of one pool share one record of its reserves.
 */
export class SolanaBlockBuilder {
  constructor(private readonly deps: BuilderDeps) {}

  build(raw: RawSolanaBlock, prepared: PreparedBlocks): SourceBlock {
    const work = new BlockWork(raw, prepared, this.deps);
    const facts = prepared instanceof PreparedRun ? prepared.facts(raw) : readBlock(raw, this.deps.tables);
    for (const each of facts) work.take(each);
    if (prepared instanceof PreparedRun) work.tellMore(prepared.askedAgainAt(raw));
    const { slot: height, hash, parentHash, time, source, observedAt, proof, incomplete } = raw;
    const origin = { source, observedAt, proof, ...(incomplete && { incomplete }) };
    const { txs, tokens, pools, events } = work;
    return { height, hash, parentHash, time, ...origin, txs, tokens, pools, events, anchors: [] };
  }
}

class BlockWork {
  readonly txs: TxRecord[] = [];
  readonly tokens: TokenRecord[] = [];
  readonly pools: PoolRecord[] = [];
  readonly events: ChainEvent[] = [];
  /** Of the transaction that is taken. */
  private launched: readonly SolanaLaunchStep[] = [];

  constructor(
    private readonly raw: RawSolanaBlock,
    private readonly prepared: PreparedBlocks,
    private readonly deps: BuilderDeps,
  ) {}

  take({ index, tx, trades, positions, launches, changes }: TransactionFacts): void {
    const before = this.events.length;
    this.launched = launches;
    for (const change of changes) this.change(change);
    const ours = trades.filter((trade) => this.meetPool(tx, trade));
    for (const { token } of launches) this.meetToken(tx, token);
    this.legs(tx, ours, positions, launches);
    for (const launch of launches) this.launch(launch);
    this.payments(tx, ours);
    this.transfers(tx);
    if (this.events.length > before) this.txs.push(this.txRecord(index, tx));
  }

  /** Takes the fact over: its maker keeps no part of it. */
  private push(fact: Fact): void {
    const event = fact as ChainEvent;
    event.tx = this.txs.length;
    event.ordinal = this.events.length;
    this.events.push(event);
  }

  private txRecord(index: number, tx: SolanaTransaction): TxRecord {
    const id = solanaIds.parseTx(tx.signature);
    const sender = addressId(tx.keys[0] ?? '');
    if (id === null || sender === null) {
      const reason = id === null ? 'its signature is not 64 bytes' : 'its fee payer is not 32 bytes';
      throw new UndecodableError(`transaction ${index} of slot ${this.raw.slot}`, reason);
    }
    return { id, index, sender };
  }

  /** Records the pool of a trade, where it is met for the first time; false for a trade that is not of that pool's tokens. */
  private meetPool(tx: SolanaTransaction, trade: SolanaTrade): boolean {
    const { known, tables } = this.deps;
    const { inputMint, outputMint } = trade;
    const record = known.pool(trade.pool)?.record;
    if (record !== undefined) {
      const { token0, token1 } = record;
      return inputMint === token0 ? outputMint === token1 : inputMint === token1 && outputMint === token0;
    }
    if (tables.pools.has(trade.venue)) this.answered(solanaIds.formatAddress(trade.pool));
    const found = poolRecordOf(tx, trade, tables, this.prepared.answers);
    if (found === null) return false;
    this.meetToken(tx, found.record.token0);
    this.meetToken(tx, found.record.token1);
    this.pools.push(found.record);
    const { vaults } = known.addPool(found.record, found.vaults, this.raw.slot);
    if (vaults !== null) {
      this.push({ kind: 'pool-vaults', pool: trade.pool, vault0: vaults[0], vault1: vaults[1] });
    }
    return true;
  }

  private meetToken(tx: SolanaTransaction, token: Hex): void {
    const { known } = this.deps;
    const { slot } = this.raw;
    if (known.knowsToken(token, slot)) return;
    const mint = solanaIds.formatAddress(token);
    this.answered(mint);
    const texts = this.launched.find((launch) => launch.token === token && launch.texts !== undefined)?.texts;
    const { record, details } = readMintFacts(token, mint, this.prepared.answers, seenDecimals(tx, mint), texts);
    this.tokens.push(record);
    known.told(record, slot);
    if (details === null) return;
    for (const [role, authority] of details.authorities) this.push({ kind: 'authority', token, role, authority });
    this.push({ kind: 'metadata', token, ...details.metadata });
  }

  /** What tokens that were asked again say now and did not say before. */
  tellMore(tokens: readonly Hex[]): void {
    const { known } = this.deps;
    for (const token of tokens) {
      const { record } = readMintFacts(token, solanaIds.formatAddress(token), this.prepared.answers, null);
      if (!known.tellsMore(record)) continue;
      this.tokens.push(record);
      known.told(record, this.raw.slot);
    }
  }

  /** A change of a token that the log knows. The transaction that a token is first met in leaves it as it was asked for. */
  private change(change: TokenChange): void {
    const { known } = this.deps;
    const token = change.mint === '' ? this.mintOfMetadata(change.metadataAccount) : addressId(change.mint);
    if (token === null || !known.knowsToken(token, this.raw.slot)) return;
    const { authority, uri, transferFeeBps } = change;
    if (authority !== undefined) this.push({ kind: 'authority', token, role: authority.role, authority: authority.to });
    if (uri === undefined && transferFeeBps === undefined) return;
    const mint = solanaIds.formatAddress(token);
    this.answered(mint);
    const { details } = readMintFacts(token, mint, this.prepared.answers, null);
    if (details === null) return;
    const { metadata } = details;
    this.push({
      kind: 'metadata',
      token,
      ...metadata,
      uri: uri === undefined ? metadata.uri : uri,
      transferFeeBps: transferFeeBps ?? metadata.transferFeeBps,
    });
  }

  private mintOfMetadata(address: string): Hex | null {
    if (addressId(address) === null) return null;
    this.answered(address);
    const account = this.prepared.answers.get(address);
    return (account ? readMetaplex(account)?.mint : null) ?? null;
  }

  private legs(
    tx: SolanaTransaction,
    trades: readonly SolanaTrade[],
    positions: readonly SolanaPosition[],
    launches: readonly SolanaLaunchStep[],
  ): void {
    const reserves = reservesAfter(tx, trades, launches, this.deps.known);
    let next = 0;
    for (const trade of trades) {
      for (; next < positions.length && positions[next]!.index < trade.index; next++)
        this.position(reserves, positions[next]!);
      this.reserves(reserves, trade.pool);
      this.swap(trade);
    }
    for (; next < positions.length; next++) this.position(reserves, positions[next]!);
    for (const pool of reserves.keys()) this.reserves(reserves, pool);
  }

  private swap(trade: SolanaTrade): void {
    const { pool, wallet, inputMint, inputAmount, outputAmount } = trade;
    const { record } = this.deps.known.pool(pool)!;
    const [amount0, amount1] =
      inputMint === record.token0 ? [inputAmount, -outputAmount] : [-outputAmount, inputAmount];
    const after = stateAfter(trade, record);
    this.push({ kind: 'swap', pool, amount0, amount1, sender: wallet, recipient: wallet, after });
  }

  private position(reserves: Map<Hex, PoolReserves>, change: SolanaPosition): void {
    const known = this.deps.known.pool(change.pool);
    const event = known === undefined ? null : positionEvent(change, known);
    if (event === null) return;
    this.reserves(reserves, change.pool);
    this.push(event);
  }

  /** Once for each pool. */
  private reserves(all: Map<Hex, PoolReserves>, pool: Hex): void {
    const reserves = all.get(pool);
    if (reserves === undefined) return;
    all.delete(pool);
    this.push({ kind: 'vaults', ...reserves });
  }

  /** Of each wallet that gave or got the coin in some trade, and of who paid for the transaction, where it traded. */
  private payments(tx: SolanaTransaction, trades: readonly SolanaTrade[]): void {
    const wallets = new Set<Hex>();
    const intoPools = new Map<string, bigint>();
    const payer = addressId(tx.keys[0]!);
    for (const { pool, wallet, inputMint, inputAmount, outputMint } of trades) {
      if (wallet === payer) wallets.add(wallet);
      if (inputMint !== COIN && outputMint !== COIN) continue;
      wallets.add(wallet);
      if (inputMint !== COIN) continue;
      const account = solanaIds.formatAddress(pool);
      intoPools.set(account, (intoPools.get(account) ?? 0n) + inputAmount);
    }
    for (const wallet of wallets) {
      const payment = coinPayment(tx, solanaIds.formatAddress(wallet), intoPools);
      if (payment !== null) this.push({ kind: 'payment', wallet, ...payment });
    }
  }

  private launch({ launchpad, step, token, curve, party, progressPpm }: SolanaLaunchStep): void {
    this.push({ kind: 'launch', launchpad, step, token, curve, party, progressPpm });
  }

  private transfers(tx: SolanaTransaction): void {
    for (const changes of movedBalances(tx)) {
      const token = this.addressOf(changes.mint);
      movements(changes, (loser, winner, amount) => {
        const from = loser === null ? NOBODY : this.addressOf(loser);
        const to = winner === null ? NOBODY : this.addressOf(winner);
        this.push({ kind: 'transfer', token, from, to, amount });
      });
    }
  }

  /** Of a mint or an owner of tokens. */
  private addressOf(text: string): Hex {
    const id = addressId(text);
    if (id !== null) return id;
    throw new UndecodableError(`a token balance in slot ${this.raw.slot}`, 'its mint or owner is not 32 bytes');
  }

  /** What was never asked for is another thing than what is not there. */
  private answered(address: string): void {
    if (this.prepared.answers.has(address)) return;
    throw new LogBrokenError(`slot ${this.raw.slot} was prepared without the account ${address}`);
  }
}

/** What the node recorded in addition to the balances of a mint; null when the transaction has none. */
function seenDecimals(tx: SolanaTransaction, mint: string): number | null {
  for (const list of [tx.tokensAfter, tx.tokensBefore]) {
    for (const balance of list) if (balance.mint === mint && balance.decimals !== undefined) return balance.decimals;
  }
  return null;
}
