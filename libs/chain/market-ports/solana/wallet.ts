import { isWallet } from '#libs/chain/chains/solana/curve-point.js';
import { movedBalances } from '#libs/chain/chains/solana/moved-balances.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaLeg } from './venue.js';

type Traded = Pick<SolanaLeg, 'authority' | 'inputMint' | 'inputAmount' | 'outputMint' | 'outputAmount'>;

/**
 * The wallets behind the legs of one transaction: of each leg the owner whose balances the trade changed. Who signs and only
 * passes tokens through, or moves nothing, is behind none while another owner gave what the legs took or got what they gave.
 * Invariant: the answer follows from the balances before and after the transaction, whatever the order of its legs.
 */
export class TradingWallets {
  private readonly signers: readonly string[];
  /** What each owner has more of each token; of wrapped SOL and lamports together under the mint of wrapped SOL. */
  private readonly changes = new Map<string, Map<string, bigint>>();
  /** What the legs gave less what they took, by mint. */
  private readonly net = new Map<string, bigint>();
  private passedOn: string | null = null;

  constructor(
    private readonly tx: SolanaTransaction,
    legs: readonly Traded[],
  ) {
    this.signers = tx.keys.slice(0, tx.signerCount);
    for (const { mint, owners } of movedBalances(tx)) {
      for (const { owner, change } of owners) if (change !== 0n) this.add(owner, mint, change);
    }
    for (let i = 0; i < tx.signerCount; i++) {
      const change = lamportsMoved(tx, i);
      if (change !== 0n) this.add(tx.keys[i]!, WRAPPED_SOL, change);
    }
    for (const { inputMint, inputAmount, outputMint, outputAmount } of legs) {
      this.net.set(inputMint, (this.net.get(inputMint) ?? 0n) - inputAmount);
      this.net.set(outputMint, (this.net.get(outputMint) ?? 0n) + outputAmount);
    }
  }

  behind({ authority }: Pick<Traded, 'authority'>): string {
    const signed = this.signers.includes(authority);
    if (signed && (this.gave(authority) || this.got(authority) || this.paid(authority))) return authority;
    this.passedOn ??= this.trader();
    if (this.passedOn !== '') return this.passedOn;
    if (signed) return authority;
    return this.signers.find((signer) => this.changes.has(signer)) ?? this.signers[0] ?? '';
  }

  /** Who gave what the legs took, then who got what they gave: signers before others, wallets before accounts of programs. */
  private trader(): string {
    const { signers } = this;
    const isSigner = (owner: string): boolean => signers.includes(owner);
    const found =
      signers.find((signer) => this.gave(signer)) ??
      signers.find((signer) => this.paid(signer)) ??
      signers.find((signer) => this.got(signer));
    if (found !== undefined) return found;
    if (this.tradesForAnother()) {
      const owners = [...this.ownersWithReceivers()].filter((owner) => !isSigner(owner));
      const others = owners.filter((owner) => this.gave(owner) || this.got(owner));
      const other =
        others.find((owner) => this.gave(owner) && this.got(owner)) ??
        others.find((owner) => this.gave(owner) && isWallet(owner)) ??
        others.find(isWallet) ??
        others.find((owner) => this.gave(owner));
      if (other !== undefined) return other;
    }
    return signers.find((signer) => this.received(signer)) ?? '';
  }

  /** A round trip takes nothing, so no owner gave for it, and one that got something may have got a fee. */
  private tradesForAnother(): boolean {
    for (const amount of this.net.values()) if (amount < 0n) return true;
    return false;
  }

  /** Whether an owner has less of what the legs took, by most of it. */
  private gave(owner: string): boolean {
    const changes = this.changes.get(owner);
    if (changes === undefined) return false;
    for (const [mint, net] of this.net) if (net < 0n && 2n * (changes.get(mint) ?? 0n) <= net) return true;
    return false;
  }

  /** Whether an owner has more of what the legs gave, by most of it. */
  private got(owner: string): boolean {
    const changes = this.changes.get(owner);
    if (changes === undefined) return false;
    for (const [mint, net] of this.net) if (net > 0n && 2n * (changes.get(mint) ?? 0n) >= net) return true;
    return false;
  }

  /** Whether an owner has less of any token; lamports alone also pay for fees and accounts. */
  private paid(owner: string): boolean {
    for (const [mint, change] of this.changes.get(owner) ?? []) if (change < 0n && mint !== WRAPPED_SOL) return true;
    return false;
  }

  private received(owner: string): boolean {
    for (const [mint, change] of this.changes.get(owner) ?? []) if (change > 0n && mint !== WRAPPED_SOL) return true;
    return false;
  }

  /** Owners of tokens that changed; and where the legs gave SOL, accounts whose lamports rose and that hold no token. */
  private ownersWithReceivers(): Iterable<string> {
    const { tx } = this;
    if ((this.net.get(WRAPPED_SOL) ?? 0n) > 0n) {
      const holders = new Set([...tx.tokensBefore, ...tx.tokensAfter].map(({ account }) => account));
      for (let i = tx.signerCount; i < tx.keys.length; i++) {
        const change = lamportsMoved(tx, i);
        if (change > 0n && !holders.has(i)) this.add(tx.keys[i]!, WRAPPED_SOL, change);
      }
    }
    return this.changes.keys();
  }

  private add(owner: string, mint: string, change: bigint): void {
    let changes = this.changes.get(owner);
    if (changes === undefined) {
      changes = new Map();
      this.changes.set(owner, changes);
    }
    changes.set(mint, (changes.get(mint) ?? 0n) + change);
  }
}

/** Without the fee of the transaction. */
function lamportsMoved(tx: SolanaTransaction, key: number): bigint {
  const change = (tx.lamportsAfter[key] ?? 0) - (tx.lamportsBefore[key] ?? 0);
  return (Number.isSafeInteger(change) ? BigInt(change) : 0n) + (key === 0 ? tx.fee : 0n);
}
