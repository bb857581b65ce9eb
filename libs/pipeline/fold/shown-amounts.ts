import type { NearAmounts, SwapEvent } from '#libs/protocol/blocks.js';
import { isPoolAmount, whyNoPrice } from './pool-bounds.js';

/**
 * What trades have shown of a pool whose ranges the log does not tell: tokens that swaps paid into it near its price, which
 * a swap back can therefore take out (docs/decisions/0024-ranges-of-solana.md).
 *
 * Invariants: an amount is within a quarter of the price and four times it, for all prices since `at` was set are within
 * half of it and twice it; it counts only what the vaults gained in the same transaction; whatever leaves a vault, by a swap or
 * otherwise, is taken off first. An account that is read says the same of its bins. So an amount is never more than what is
 * there.
 */
export interface ShownAmounts {
  /** Root of the price (X96) that the counted swaps stayed near. */
  readonly at: bigint;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

export function sameShown(a: ShownAmounts | null, b: ShownAmounts | null): boolean {
  if (a === null || b === null) return a === b;
  return a.at === b.at && a.amount0 === b.amount0 && a.amount1 === b.amount1;
}

/** What one transaction moved a pool's two vaults by, as far as its swaps have not accounted for it. */
export class VaultMoves {
  private tx = -1;
  private rest: [bigint, bigint] = [0n, 0n];

  moved(tx: number, moved0: bigint, moved1: bigint): void {
    this.of(tx);
    this.rest = [this.rest[0] + moved0, this.rest[1] + moved1];
  }

  /** How much of an amount that a swap paid in the vault really gained. */
  gained(tx: number, side: 0 | 1, amount: bigint): bigint {
    this.of(tx);
    const rest = this.rest[side];
    const taken = rest < amount ? (rest > 0n ? rest : 0n) : amount;
    this.rest[side] -= taken;
    return taken;
  }

  /** How much of an amount that was paid out the vault's own loss does not tell of. */
  unseen(tx: number, side: 0 | 1, amount: bigint): bigint {
    this.of(tx);
    const lost = -this.rest[side];
    const seen = lost < amount ? (lost > 0n ? lost : 0n) : amount;
    this.rest[side] += seen;
    return amount - seen;
  }

  private of(tx: number): void {
    if (tx === this.tx) return;
    this.tx = tx;
    this.rest = [0n, 0n];
  }
}

/** Where the moves of the block that is being folded are kept; null before the first. */
interface BlockMoves {
  moves: VaultMoves | null;
}

/** The rule for one pool. Its value is replaced as a whole. */
export class ShownTrades {
  shown: ShownAmounts | null = null;

  amount(side: 0 | 1): bigint {
    return (side === 0 ? this.shown?.amount0 : this.shown?.amount1) ?? 0n;
  }

  /** What a vault lost may have been near the price. */
  vaultsMoved(block: BlockMoves, tx: number, moved0: bigint, moved1: bigint): void {
    movesOf(block).moved(tx, moved0, moved1);
    if (moved0 < 0n) this.less(0, -moved0);
    if (moved1 < 0n) this.less(1, -moved1);
  }

  /** `before`: root of the price before the swap. */
  swapped(block: BlockMoves, { tx, amount0, amount1, after }: SwapEvent, before: bigint): void {
    const now = after!.sqrtPriceX96;
    const { shown } = this;
    if (shown === null || !isNear(before, shown.at) || !isNear(now, shown.at))
      this.shown = { at: now, amount0: 0n, amount1: 0n };
    const { at } = this.shown!;
    const counts = isNear(before, at) && isPaidNear(amount0, amount1, at);
    if (amount0 > 0n) this.paidIn(block, tx, 0, amount0, counts);
    if (amount1 > 0n) this.paidIn(block, tx, 1, amount1, counts);
    this.left(block, tx, amount0, amount1);
  }

  /** What its account says instead; more than an amount can be is nothing. */
  anchor({ sqrtPriceX96, amount0, amount1 }: NearAmounts): void {
    const isStated = isPoolAmount(amount0) && isPoolAmount(amount1) && whyNoPrice(sqrtPriceX96, 0) === null;
    this.shown = isStated ? { at: sqrtPriceX96, amount0, amount1 } : null;
  }

  /** Anything may have moved within the pool. */
  forget(): void {
    this.shown = null;
  }

  /** Negative amounts left the pool. */
  left(block: BlockMoves, tx: number, amount0: bigint, amount1: bigint): void {
    if (amount0 < 0n) this.less(0, movesOf(block).unseen(tx, 0, -amount0));
    if (amount1 < 0n) this.less(1, movesOf(block).unseen(tx, 1, -amount1));
  }

  private paidIn(block: BlockMoves, tx: number, side: 0 | 1, amount: bigint, counts: boolean): void {
    const gained = movesOf(block).gained(tx, side, amount);
    if (counts && gained > 0n) this.set(side, this.amount(side) + gained);
  }

  private less(side: 0 | 1, amount: bigint): void {
    const shown = this.amount(side);
    if (shown > 0n && amount > 0n) this.set(side, shown > amount ? shown - amount : 0n);
  }

  private set(side: 0 | 1, amount: bigint): void {
    this.shown = side === 0 ? { ...this.shown!, amount0: amount } : { ...this.shown!, amount1: amount };
  }
}

function movesOf(block: BlockMoves): VaultMoves {
  block.moves ??= new VaultMoves();
  return block.moves;
}

/** Whether what one side paid for the other was such a price: bins can be passed by without a swap (DLMM's `go_to_a_bin`). */
function isPaidNear(amount0: bigint, amount1: bigint, at: bigint): boolean {
  const [paid, due] = [(amount1 < 0n ? -amount1 : amount1) << 192n, (amount0 < 0n ? -amount0 : amount0) * at * at];
  return paid > 0n && paid <= 2n * due && due <= 2n * paid;
}

/** The price is at most twice the other one and at least half of it: the square of its root. */
function isNear(root: bigint, at: bigint): boolean {
  const [square, other] = [root * root, at * at];
  return square <= 2n * other && other <= 2n * square;
}
