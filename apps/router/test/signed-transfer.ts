import { type Keypair, type PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import type { LocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';

/** A legacy transaction of one transfer of lamports, signed by who sends them, over the chain's newest blockhash. */
export function signedTransfer(chain: LocalSolana, from: Keypair, toPubkey: PublicKey, lamports: number): Uint8Array {
  const transaction = new Transaction({ feePayer: from.publicKey, recentBlockhash: chain.blockhash() });
  transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports }));
  transaction.sign(from);
  return transaction.serialize();
}
