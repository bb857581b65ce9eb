import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolInstruction } from '#libs/serve/contract/rest/solana/swap-body.js';
import type { Instruction } from '#programs/client.js';

/** An instruction as answers show it. */
export const instructionBody = ({ program, accounts, data }: Instruction): SolInstruction => ({
  programId: solanaIds.formatAddress(program),
  accounts: accounts.map(({ id, signer, writable }) => ({
    pubkey: solanaIds.formatAddress(id),
    isSigner: signer,
    isWritable: writable,
  })),
  data: Buffer.from(data).toString('base64'),
});
