import { upstreamUnavailable } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';

/**
 * What is read of each chain that can be served now. One that cannot is left out of an answer over all chains, and `meta` shows it;
 * without any the failure of the first comes out, as does any other failure.
 */
export async function ofServed<Value>(
  readers: readonly ChainReader[],
  read: (reader: ChainReader) => Promise<Value>,
): Promise<Value[]> {
  const outcomes = await Promise.allSettled(readers.map(read));
  const values = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const other = failures.find((failure) => !(failure instanceof ChainUnavailableError));
  if (other !== undefined || (values.length === 0 && failures.length > 0)) throw other ?? failures[0];
  if (values.length === 0) throw upstreamUnavailable('no chain is configured');
  return values;
}
