import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { badRequest } from '#libs/serve/http/problem.js';
import { notReady } from '../../refusal.js';
import type { RecentBlockhash } from '../model/recent-blockhash.js';
import type { SolanaChain } from '../ports.js';
import type { TransactionRequest } from './read-transaction.js';
import { encodeTransaction, TransactionLimitError } from './v1-transaction.js';

/** Serializes instructions of the caller. A node is asked only where a transaction names no blockhash. */
export class TransactionService {
  constructor(private readonly chain: SolanaChain) {}

  /** The texts of the answers, in the order of the requests. */
  async serialize(requests: readonly TransactionRequest[], signal: AbortSignal, paths: readonly string[]) {
    // What does not fit is said before a node is asked.
    for (const [n, request] of requests.entries()) encoded(request, new Uint8Array(32), paths[n]!);
    const needed = requests.some(({ blockhash }) => blockhash === null);
    const newest = needed ? await this.newest(signal) : null;
    return requests.map((request, n) => this.text(request, newest, paths[n]!));
  }

  private newest(signal: AbortSignal): Promise<RecentBlockhash> {
    const { services, spec, absence } = this.chain;
    if (services === null) throw notReady([`${spec.slug}: ${absence}`]);
    return services.builder.blockhash(signal);
  }

  private text(request: TransactionRequest, newest: RecentBlockhash | null, path: string): string {
    const given = request.blockhash;
    const blockhash = given === null ? newest!.blockhash : solanaIds.formatBlockHash(given);
    const { bytes, keys } = encoded(request, given === null ? newest!.bytes : Buffer.from(given, 'hex'), path);
    const { encoding, config } = request;
    const { computeUnitLimit, loadedAccountsDataSizeLimit, priorityFeeLamports } = config;
    const body = {
      transaction: encoding === 'base64' ? bytes.toString('base64') : encodeBase58(bytes),
      ...{ encoding, version: 1, size: bytes.length },
      accountKeys: keys.map(solanaIds.formatAddress),
      blockhash,
      lastValidBlockHeight: given === null ? newest!.lastValidBlockHeight : null,
    };
    const limits = JSON.stringify({ computeUnitLimit, loadedAccountsDataSizeLimit }).slice(0, -1);
    // A fee beyond 2^53 is written digit for digit.
    return `${JSON.stringify(body).slice(0, -1)},"transactionConfig":${limits},"priorityFeeLamports":${priorityFeeLamports}}}`;
  }
}

function encoded({ payer, instructions, config }: TransactionRequest, blockhash: Uint8Array, path: string) {
  try {
    return encodeTransaction(payer, instructions, config, blockhash);
  } catch (error) {
    if (!(error instanceof TransactionLimitError)) throw error;
    throw badRequest(`${path}${error.message}`);
  }
}
