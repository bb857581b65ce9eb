import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { addressId } from '#libs/chain/chains/solana/address-ids.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { readMetaplex } from '#libs/chain/chains/solana/token/metaplex.js';
import type { TokenChange } from '#libs/chain/chains/solana/token/token-changes.js';
import { tokenNeeds } from '#libs/chain/chains/solana/token/token-facts.js';
import type { Hex } from '#libs/core/ids.js';
import { PreparedRun, readBlock, type TransactionFacts } from './block-facts.js';
import type { SolanaKnownSet } from './known-set.js';
import type { AccountReads, RawSolanaBlock } from './raw-block.js';
import type { SolanaTables } from './tables.js';

/** Addresses that one question may name. */
const BATCH = 100;
/** Tokens that did not say all of their metadata, in one step through the blocks. */
const ASKED_AGAIN = 8;

/**
 * Asks a node for the accounts that tell of pools and tokens which the published chain does not know, and of tokens whose
 * metadata the blocks change. Changes nothing: the block builder records. Answers are those of the moment of asking, which
 * is at the last of the blocks or later.
 */
export class SolanaDiscoverer {
  constructor(
    private readonly tables: SolanaTables,
    private readonly known: SolanaKnownSet,
  ) {}

  async discover(blocks: readonly RawSolanaBlock[], reads: AccountReads, signal: AbortSignal): Promise<PreparedRun> {
    const answers = new Map<string, SolanaAccount | null>();
    const facts = new Map(blocks.map((block) => [block, readBlock(block, this.tables)]));
    const first = blocks[0];
    if (first === undefined) return new PreparedRun(answers, facts, this.tables);
    const wanted = new WantedAccounts();
    // What the log recorded after the block that these continue is gone by the time they are built.
    const knownSlot = Math.min(first.parentSlot, first.slot - 1);
    for (const block of facts.values()) this.collect(block, knownSlot, wanted);
    const unfinished = this.known.nextToAsk(knownSlot, ASKED_AGAIN);
    for (const token of unfinished) wanted.token(token);
    const run = new PreparedRun(answers, facts, this.tables, unfinished);
    for (;;) {
      const missing = wanted.missing(answers);
      if (missing.length === 0) return run;
      await ask(missing, blocks.at(-1)!.slot, reads, signal, answers);
    }
  }

  private collect(block: readonly TransactionFacts[], knownSlot: number, wanted: WantedAccounts): void {
    const token = (id: Hex): void => {
      if (!this.known.knowsToken(id, knownSlot)) wanted.token(id);
    };
    for (const { trades, launches, changes } of block) {
      for (const { pool, venue, inputMint, outputMint } of trades) {
        if (this.known.knowsPool(pool, knownSlot)) continue;
        if (this.tables.pools.has(venue)) wanted.account(pool);
        token(inputMint);
        token(outputMint);
      }
      for (const launch of launches) token(launch.token);
      for (const change of changes) wanted.change(change);
    }
  }
}

/** Accounts, tokens and changes to be recorded; which accounts that takes follows from the answers so far. */
class WantedAccounts {
  private readonly accounts = new Set<Hex>();
  private readonly tokens = new Set<Hex>();
  private readonly changed = new Set<string>();
  private readonly changedMetadata = new Set<string>();

  account(id: Hex): void {
    this.accounts.add(id);
  }

  token(id: Hex): void {
    this.tokens.add(id);
  }

  /** An authority is all in its instruction; what a token says of itself is recorded whole, so the rest is asked for. */
  change({ mint, metadataAccount, uri, transferFeeBps }: TokenChange): void {
    if (mint === '') this.changedMetadata.add(metadataAccount);
    else if (uri !== undefined || transferFeeBps !== undefined) this.changed.add(mint);
  }

  missing(answers: ReadonlyMap<string, SolanaAccount | null>): string[] {
    const missing = new Set<string>();
    const need = (address: string): void => {
      if (addressId(address) !== null && !answers.has(address)) missing.add(address);
    };
    const needToken = (mint: string): void => {
      if (addressId(mint) !== null) for (const address of tokenNeeds(mint, answers)) need(address);
    };
    for (const id of this.accounts) need(solanaIds.formatAddress(id));
    for (const id of this.tokens) needToken(solanaIds.formatAddress(id));
    for (const mint of this.changed) needToken(mint);
    for (const address of this.changedMetadata) {
      need(address);
      const account = answers.get(address);
      const metadata = account ? readMetaplex(account) : null;
      if (metadata !== null) needToken(solanaIds.formatAddress(metadata.mint));
    }
    return [...missing];
  }
}

async function ask(
  addresses: readonly string[],
  minSlot: number,
  reads: AccountReads,
  signal: AbortSignal,
  answers: Map<string, SolanaAccount | null>,
): Promise<void> {
  const batches: string[][] = [];
  for (let at = 0; at < addresses.length; at += BATCH) batches.push(addresses.slice(at, at + BATCH));
  const found = await Promise.all(batches.map((batch) => reads.accounts(batch, minSlot, signal)));
  for (const [n, batch] of batches.entries()) {
    for (const [i, address] of batch.entries()) answers.set(address, found[n]![i] ?? null);
  }
}
