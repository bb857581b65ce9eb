import { readDeltas, readIds, readUnsigned, writeDeltas } from '#libs/protocol/codec/columns.js';
import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import type { TransferFact } from '#libs/protocol/facts.js';

/** Transfers, column by column. */
export function writeTransfers(out: GroupWriter, transfers: readonly TransferFact[]): void {
  out.varuint(transfers.length);
  writeDeltas(out, transfers, (transfer) => transfer.ordinal);
  for (const transfer of transfers) out.id(transfer.tx);
  for (const transfer of transfers) out.id(transfer.token);
  for (const transfer of transfers) out.id(transfer.from);
  for (const transfer of transfers) out.id(transfer.to);
  for (const transfer of transfers) out.unsigned(transfer.amount);
}

export function readTransfers(input: GroupReader): TransferFact[] {
  const count = input.count(6);
  const ordinals = readDeltas(input, count);
  const txs = readIds(input, count);
  const tokens = readIds(input, count);
  const from = readIds(input, count);
  const to = readIds(input, count);
  const amounts = readUnsigned(input, count);
  const transfers: TransferFact[] = [];
  for (let i = 0; i < count; i++) {
    transfers.push({
      ordinal: ordinals[i]!,
      tx: txs[i]!,
      token: tokens[i]!,
      from: from[i]!,
      to: to[i]!,
      amount: amounts[i]!,
    });
  }
  return transfers;
}
