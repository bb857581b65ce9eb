import { Keypair, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { movedBalances } from '#libs/chain/chains/solana/moved-balances.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { LocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { createMint, createTokenAccount, mintTo, transferTokens } from '#libs/devkit/devnet/solana/test/token-calls.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';
import { movements, NOBODY } from '../transfers.js';

const RENT = 10_000_000;

/** Tokens that a few accounts of one payer pass on to each other, in random transfers. */
export class TokenTraffic {
  private readonly payer = Keypair.generate();
  private readonly mint = Keypair.generate();
  private readonly accounts = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
  private readonly owners = this.accounts.map(() => Keypair.generate());
  private sent = 0;

  constructor(
    private readonly chain: LocalSolana,
    private readonly random: SeededRandom,
  ) {
    const { payer, mint } = this;
    chain.airdrop(payer.publicKey.toBase58(), 500_000_000_000n);
    chain.slot();
    const made = this.accounts.flatMap((account, n) => [
      ...createTokenAccount(payer, account, mint.publicKey, this.owners[n]!.publicKey, RENT),
      mintTo(mint.publicKey, account.publicKey, payer.publicKey, 1_000_000_000n),
    ]);
    this.send([...createMint(payer, mint, 6, RENT)], [mint]);
    chain.slot();
    for (const [n, account] of this.accounts.entries()) this.send(made.slice(3 * n, 3 * n + 3), [account]);
    chain.slot();
  }

  /** Queues so many transfers. */
  transfers(count: number): void {
    for (let n = 0; n < count; n++) {
      const from = this.random.int(3);
      const to = (from + 1 + this.random.int(2)) % 3;
      const [source, target] = [this.accounts[from]!.publicKey, this.accounts[to]!.publicKey];
      // Each amount is another one, so that no transfer undoes another.
      const amount = BigInt(1_000 + this.sent++);
      this.send([transferTokens(source, target, this.owners[from]!.publicKey, amount)], [this.owners[from]!]);
    }
  }

  private send(instructions: TransactionInstruction[], signers: Keypair[]): void {
    const transaction = new Transaction({ recentBlockhash: this.chain.blockhash(8), feePayer: this.payer.publicKey });
    transaction.add(...instructions);
    transaction.sign(this.payer, ...signers);
    this.chain.send(transaction.serialize());
  }
}

/** A block in one line: its place, its transactions and what they moved. */
function lineOf(slot: number, hash: string, txs: readonly { id: string; moved: string }[]): string {
  return `${slot} ${hash} ${txs.map(({ id, moved }) => `${id.slice(0, 12)}(${moved})`).join(' ')}`;
}

/** As a node tells it. */
export function toldLine(slot: number, block: { blockhash: string; transactions: unknown[] }): string {
  const txs = block.transactions.map((entry) => {
    const tx = readSolanaTransaction(entry as never);
    const moved: string[] = [];
    for (const changes of movedBalances(tx)) {
      movements(changes, (from, to, amount) => void moved.push(`${idOf(from)}>${idOf(to)}:${amount}`));
    }
    return { id: solanaIds.parseTx(tx.signature)!, moved: moved.join() };
  });
  return lineOf(slot, solanaIds.parseAddress(block.blockhash)!, txs);
}

/** As the log has it. */
export function loggedLine({ height, hash, txs, events }: BlockGroup): string {
  const moved = txs.map(({ id }, n) => {
    const own = events.filter((event) => event.tx === n && event.kind === 'transfer');
    const said = own.map((event) =>
      event.kind === 'transfer' ? `${event.from.slice(0, 8)}>${event.to.slice(0, 8)}:${event.amount}` : '',
    );
    return { id, moved: said.join() };
  });
  return lineOf(height, hash, moved);
}

const idOf = (owner: string | null): string => (owner === null ? NOBODY : solanaIds.parseAddress(owner)!).slice(0, 8);
