import type { Ratio } from '#libs/chain/amm/ratio.js';
import { wordAt } from '#libs/chain/chains/solana/bytes.js';
import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import { utf8Text } from '#libs/chain/chains/solana/token/byte-cursor.js';
import type { TokenTexts } from '#libs/chain/chains/solana/token/token-metadata.js';
import { vaultFlow } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { curveAfter } from '#libs/chain/market-ports/solana/stated.js';
import {
  NO_LAUNCHES,
  NO_LEGS,
  type SolanaLaunch,
  type SolanaLaunchpad,
  type SolanaLeg,
} from '#libs/chain/market-ports/solana/venue.js';

/** Tags of the instructions that are read, with the places of their accounts. */
const CREATE = { tag: 0, creator: 0, mint: 1, curve: 2 };
const GRADUATE = { tag: 2, curve: 1, mint: 4, pool: 7, bytes: 1 };
const SWAP = { tags: [1, 4] as readonly (number | undefined)[], bytes: 17, curve: 0, user: 1, inVault: 4, outVault: 5 };
const CREATE_HEAD = 16;
/** Where the lengths of its texts are: name, symbol and address of the metadata follow the head. */
const CREATE_LENGTHS = 13;
/** The event of a trade: its state fields are those after it. */
const TRADE_TAG = 'TPLNTRD1';
const TRADE_BYTES = 136;
/** What every curve of the program sells. */
const FOR_SALE = 793_100_000_000_000n;
const PPM = 1_000_000n;

interface CurveAfter {
  readonly buys: boolean;
  readonly spot: Ratio;
  readonly realQuote: bigint;
  readonly remaining: bigint;
}

/**
 * Tidepool's own bonding curves, of the program at that address. The amounts of a trade are those of its two transfers;
 * price and reserves after it are in the event that the program logs, and are left out where the log was cut.
 */
export const tidepoolLaunchpad = (program: string): SolanaLaunchpad => ({
  venue: 'tidepool',
  dex: 'Tidepool Launchpad',
  kind: 'curve',
  launchpad: 'tidepool',
  program,
  legs,
  launches,
});

function legs(tx: SolanaTransaction, index: number): readonly SolanaLeg[] {
  const flow = swapFlow(tx, index);
  if (flow === null) return NO_LEGS;
  const instruction = tx.instructions[index]!;
  const vaults = [tx.accountKey(instruction, SWAP.inVault), tx.accountKey(instruction, SWAP.outVault)] as const;
  const after = tradeOf(tx, index);
  return [
    {
      pool: tx.accountKey(instruction, SWAP.curve),
      authority: tx.accountKey(instruction, SWAP.user),
      ...flow,
      stated: { vaults, ...(after && curveAfter(after.buys, after.spot, after.remaining, after.realQuote)) },
    },
  ];
}

function launches(tx: SolanaTransaction, index: number): readonly SolanaLaunch[] {
  if (tx.failed) return NO_LAUNCHES;
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  const key = (nth: number): string => tx.accountKey(instruction, nth);
  if (data[0] === CREATE.tag && data.length >= CREATE_HEAD) {
    const [token, curve, creator] = [key(CREATE.mint), key(CREATE.curve), key(CREATE.creator)];
    return [{ step: 'created', token, curve, creator, texts: textsOf(data) }];
  }
  if (data[0] === GRADUATE.tag && data.length === GRADUATE.bytes) {
    return [{ step: 'graduated', token: key(GRADUATE.mint), curve: key(GRADUATE.curve), pool: key(GRADUATE.pool) }];
  }
  const flow = swapFlow(tx, index);
  const after = flow === null ? null : tradeOf(tx, index);
  if (flow === null || after === null) return NO_LAUNCHES;
  const token = after.buys ? flow.outputMint : flow.inputMint;
  const progressPpm = Number(((FOR_SALE - after.remaining) * PPM) / FOR_SALE);
  return [{ step: 'progress', token, curve: key(SWAP.curve), progressPpm }];
}

/** What the program keeps in the curve's account; the local chain has no other program that keeps it. */
function textsOf(data: Uint8Array): TokenTexts {
  const [name, symbol, uri] = data.subarray(CREATE_LENGTHS, CREATE_HEAD) as unknown as [number, number, number];
  const [symbolAt, uriAt] = [CREATE_HEAD + name, CREATE_HEAD + name + symbol];
  return {
    name: utf8Text(data.subarray(CREATE_HEAD, symbolAt)),
    symbol: utf8Text(data.subarray(symbolAt, uriAt)),
    uri: utf8Text(data.subarray(uriAt, uriAt + uri)),
  };
}

function swapFlow(tx: SolanaTransaction, index: number): ReturnType<typeof vaultFlow> {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  if (data.length !== SWAP.bytes || !SWAP.tags.includes(data[0])) return null;
  return vaultFlow(tx, index, tx.account(instruction, SWAP.inVault), tx.account(instruction, SWAP.outVault));
}

/** The event of the trade that the instruction made; null when it logged none. */
function tradeOf(tx: SolanaTransaction, index: number): CurveAfter | null {
  for (const data of loggedData(tx, index)) {
    if (data.length !== TRADE_BYTES || String.fromCharCode(...data.subarray(0, 8)) !== TRADE_TAG) continue;
    const remaining = wordAt(data, 128);
    if (remaining > FOR_SALE) continue;
    return {
      buys: wordAt(data, 72) === 1n,
      spot: { numerator: wordAt(data, 104), denominator: wordAt(data, 112) },
      realQuote: wordAt(data, 120),
      remaining,
    };
  }
  return null;
}
